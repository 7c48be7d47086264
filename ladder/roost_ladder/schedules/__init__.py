"""Who plays whom: one module for each schedule, one interface (`schedule`), one table of names (`registry`).

Schedules plan blocks. They play nothing, and know neither the server nor how a ladder is run.
"""
