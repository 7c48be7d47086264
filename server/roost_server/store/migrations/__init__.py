"""Alembic's folder: one file in `versions/` for each schema number."""
