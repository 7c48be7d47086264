"""What one has to do with an arena from outside: a bot's connection, its matches and journal, questions, invitations.

It talks to an arena only through `roost.v1`, like a client in any other language.
"""
