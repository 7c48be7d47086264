"""Accounts: owners and their bots, keys, what each key allows, and the audit log.

They know nothing of competitions, matches or a running arena.
"""
