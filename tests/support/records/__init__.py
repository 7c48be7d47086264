"""Matches, results, databases and exports, made without an arena; and what older versions of Roost wrote."""
