"""Competitions: the file that defines one, its phases, its finals and its records.

They know nothing of who is connected: `play` plays them.
"""
