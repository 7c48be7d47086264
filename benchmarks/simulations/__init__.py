"""Whole ladders, comparisons and suspicion reports in simulated worlds: how often they are wrong. Tests run the same
with smaller numbers."""
