"""Accounts: owners and their bots, the keys that they show, what a key allows, and the log of what was done."""
