"""Matches that are over or running, shown in a terminal: move by move, as a bot saw them, and what they teach.

It knows neither options nor where a match comes from.
"""
