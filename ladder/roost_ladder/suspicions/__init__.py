"""What in the results of matches is a reason to look closer: collusion, memory, voids, changed thinking times.

Each question is a function of facts about matches. It knows neither the store nor who owns a bot.
"""

from typing import Final

DOUBT: Final = 0.05
"""How often chance alone brings anything into a whole report, at most."""
QUESTIONS: Final = ("collusion", "memory", "voids", "thinking")
"""What is asked with statistics. A module each."""
SHARE: Final = DOUBT / len(QUESTIONS)
"""What each question may use of the doubt, so that together they stay below it (Bonferroni)."""
