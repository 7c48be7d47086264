"""Answers to questions about the records, as messages of `roost.v1`, from a store alone.

They know nothing of a running arena: its services add who is connected.
"""
