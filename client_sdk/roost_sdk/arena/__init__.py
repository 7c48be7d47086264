"""An arena from outside: a bot's connection, its matches and journal, questions to ask, people to invite.

It talks to an arena only through `roost.v1`, like a client in any other language.
"""
