"""A competition as a folder of plain files, from which anybody can recompute the result.

Nothing here knows a running arena, and the check of a folder needs no database either.
"""
