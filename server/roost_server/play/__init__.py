"""A running arena: streams, sessions, tables, contests, and the director of a competition.

It knows nothing of gRPC services or of how answers about the records are worded.
"""
