"""Accounts: owners and their bots, keys, what each key allows, rulings of the host, and the audit log.

They know nothing of how competitions go, nor of a running arena.
"""
