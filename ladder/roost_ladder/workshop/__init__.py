"""What helps to improve a bot: `doctor.examine`, `second_opinion.second_opinion` and `weighing.weigh`.

Nothing here prints, and nothing knows the sample bots: callers hand them in.
"""
