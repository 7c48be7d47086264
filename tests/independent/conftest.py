"""Many of these tests have an arena or a competition of their own."""

from tests.support.records.quick_databases import quick_databases

__all__ = ["quick_databases"]
