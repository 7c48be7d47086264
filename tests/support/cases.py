"""Which cases of a test are in the short run."""


def spread(cases: int, wanted: int) -> set[int]:
    """This many of the numbers below `cases`, apart from each other.

    Each comes one later in its part than the one before. So of a table of cases, such as games and numbers of players,
    they are a diagonal, in which every row and every column is.
    """
    part = max(1, cases // wanted)
    return {min(number * part + number % part, cases - 1) for number in range(wanted)}
