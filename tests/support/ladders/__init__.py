"""Simulated worlds of bots of known strength, and small ladders of real ones, some of which misbehave."""
