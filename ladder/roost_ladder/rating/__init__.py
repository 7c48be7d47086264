"""How strong bots are, and how sure that is: results in, ratings, intervals, statistics and comparisons out.

Pure calculation: it plays nothing, reads no files and knows no schedules.
"""
