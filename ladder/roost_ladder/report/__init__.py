"""The report on a ladder: a summary of everything known, as a web page, as CSV and as JSON.

It only shows what rating/ computes. It knows neither a terminal nor the server.
"""
