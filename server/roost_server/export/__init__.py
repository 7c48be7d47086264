"""A competition as a folder of plain files, with all that a third party needs to work out the result again."""
