"""Whole ladders, comparisons and collusion reports in simulated worlds: how often they are wrong. Tests run the same
with smaller numbers."""
