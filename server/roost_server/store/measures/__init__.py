"""Measures on record: the arena's quarantines, and the rulings of its host.

They say what was decided about whom, and which matches a ruling strikes; not why, nor what follows in a running arena.
"""
