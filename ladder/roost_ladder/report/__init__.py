"""The report on a ladder: a summary of everything known, as a web page, as CSV and as JSON."""
