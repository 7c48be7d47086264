"""The wire contract of Roost and the code generated from it."""
