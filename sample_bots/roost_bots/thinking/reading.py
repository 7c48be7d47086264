"""What the samples read off a table before they choose."""

from collections.abc import Sequence

from roost_games import bratwurmeck, haecmaec


def points_of(view: bratwurmeck.View, face: str) -> int:
    """What setting aside all dice with `face` adds to the total; a worm counts 5."""
    return view.roll.count(face) * (5 if face == "W" else int(face))


def tile_won(view: bratwurmeck.View, move: bratwurmeck.Take) -> bratwurmeck.Tile | None:
    """The tile that stopping with `move` takes, or `None` if the turn would fail."""
    if move.then == "roll" or "W" not in (*view.aside, move.face):
        return None
    total = view.total + points_of(view, move.face)
    if move.steal:
        return next(stack[-1] for stack in view.stacks if stack and stack[-1].value == total)
    return max((tile for tile in view.grill if tile.value <= total), default=None)


def is_bluff(view: haecmaec.View) -> bool:
    """Whether the latest card is a third of its kind or a later one, as anyone can see who counts."""
    return [card.kind for card in view.burger].count(view.burger[-1].kind) > 2


def can_close(view: haecmaec.View, size: int) -> bool:
    """Whether a burger of `size` ingredients may be closed in turn."""
    return size >= (3 if view.players == 2 else 2)


def reaction(view: haecmaec.View, legal: Sequence[haecmaec.Move]) -> haecmaec.React:
    """Suspect the latest card if it is a bluff. Never slap."""
    bluff = is_bluff(view)
    reactions = (move for move in legal if isinstance(move, haecmaec.React) and move.slap in (None, "no"))
    return next(move for move in reactions if bool(move.suspect) == bluff)


def ingredients(legal: Sequence[haecmaec.Move]) -> list[haecmaec.Play]:
    """The moves that lay an ingredient on the burger."""
    return [move for move in legal if isinstance(move, haecmaec.Play) and move.card != haecmaec.FLY]
