"""The routes of the pages: each takes an address apart, gets rows, and renders them.

It knows no gRPC. Pages for people who sign in, play or administer would be rooms beside this one.
"""
