"""Programs that were written from the documentation alone, to check it and us."""
