"""Examines clients: programs that speak the protocol by themselves. `check.check_client` is an arena for one of them.

It rates nothing, keeps no record, and knows nothing of the code of a real arena.
"""
