"""A bot at an arena: the connection, the matches played over it, and the journal kept of them.

It talks to an arena only through `roost.v1`, like a client in any other language.
"""
