"""Ladders on the workers of a Dask cluster: one more executor, with bots that travel by content.

Dask is imported only when a cluster is used. Nothing here knows the server, the sample bots or a terminal.
"""
