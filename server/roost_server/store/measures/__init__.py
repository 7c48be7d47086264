"""Measures on record: the arena's quarantines, the rulings of its host, and the results that it holds back.

They say what was decided about whom, which matches a ruling strikes, and which may be seen; not why, nor what follows
in a running arena.
"""
