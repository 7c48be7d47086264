"""The arena as a gRPC server: services, spectators, TLS, logs, and the process that runs them.

The top of the server: nothing else in it may import this.
"""
