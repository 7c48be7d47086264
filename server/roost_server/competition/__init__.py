"""Competitions: the file that defines one, its phases, and the contest that the arena plays for it."""
