"""Bots that do to their process what no bot should, each a file of its own for the command."""
