"""A running arena: streams, sessions, tables, blocks, contests, quarantine, and the directors of competitions.

It writes no SQL, and knows nothing of gRPC services or of how questions about the records are answered.
"""
