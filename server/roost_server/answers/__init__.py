"""Answers to questions about the records, as messages of `roost.v1`, from a store alone.

It knows nothing of a running arena: whoever asks one adds who is connected.
"""
