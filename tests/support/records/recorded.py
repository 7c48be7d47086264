"""What a store has on record, for tests to look at."""

from roost_server.store import Store
from roost_server.store.results import EVERYTHING, MatchFilter, MatchOnRecord, Rule, recorded


def on_record(store: Store, wanted: MatchFilter = EVERYTHING) -> list[MatchOnRecord]:
    """Every match, voided ones too, in the order of recording."""
    with store.reading() as reading:
        return list(recorded(reading, wanted))


def counted(store: Store, wanted: MatchFilter = EVERYTHING, rule: Rule = Rule.SO_FAR) -> list[MatchOnRecord]:
    """The matches that count."""
    return [match for match in on_record(store, wanted) if match.counts(rule)]
