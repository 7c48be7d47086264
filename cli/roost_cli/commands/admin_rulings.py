"""`roost admin`: what a host decides about owners, bots, matches and phases. Each is a ruling, and in the export."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from roost_cli.commands.admin import OwnerArgument, admin_app, bot_app, owner_app
from roost_cli.options import HOSTING, Where, asks, parse_duration

__all__ = ["admin_app"]
BotNameArgument = Annotated[str, typer.Argument(metavar="BOT", help="The bot's name.")]
CompetitionArgument = Annotated[str, typer.Argument(metavar="COMPETITION", help="The competition's name.")]
ReasonOption = Annotated[str, typer.Option(metavar="TEXT", help="Why. Everybody can read it in the export.")]


class PhaseGroup(TyperGroup):
    """`roost admin phase COMPETITION PHASE` is short for `roost admin phase enter COMPETITION PHASE`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that was typed, or `enter`."""
        return super().resolve_command(ctx, args if args[0] in self.commands else ["enter", *args])


match_app = typer.Typer(help="Matches that must not count.", no_args_is_help=True)
phase_app = typer.Typer(help="Change and extend phases.", no_args_is_help=True, cls=PhaseGroup)
admin_app.add_typer(match_app, name="match")
admin_app.add_typer(phase_app, name="phase")


@owner_app.command("ban")
@asks(HOSTING)
def ban_owner(where: Where, name: OwnerArgument, reason: ReasonOption = "") -> None:
    """Ban an owner: no key of theirs works, and their bots are disconnected. Matches that were played count."""
    from roost.v1 import admin_pb2

    where.administer(admin_pb2.BanOwnerRequest(owner=name, reason=reason))
    typer.echo(f"banned {name}; what their bots have played still counts, `roost admin bot disqualify` strikes it")


@owner_app.command("unban")
@asks(HOSTING)
def unban_owner(where: Where, name: OwnerArgument, reason: ReasonOption = "") -> None:
    """End the ban of an owner: their keys work again."""
    from roost.v1 import admin_pb2

    where.administer(admin_pb2.UnbanOwnerRequest(owner=name, reason=reason))
    typer.echo(f"unbanned {name}")


@bot_app.command("disqualify")
@asks(HOSTING)
def disqualify_bot(
    where: Where, competition: CompetitionArgument, bot: BotNameArgument, reason: ReasonOption = ""
) -> None:
    """Strike all matches of a bot in a competition, future ones too. It forfeits what is left of the finals."""
    from roost.v1 import admin_pb2

    where.administer(admin_pb2.DisqualifyBotRequest(competition=competition, bot=bot, reason=reason))
    typer.echo(f"disqualified {bot} in {competition}; none of its matches there counts")


@bot_app.command("reinstate")
@asks(HOSTING)
def reinstate_bot(
    where: Where, competition: CompetitionArgument, bot: BotNameArgument, reason: ReasonOption = ""
) -> None:
    """Undo a disqualification: all matches of the bot count again."""
    from roost.v1 import admin_pb2

    where.administer(admin_pb2.ReinstateBotRequest(competition=competition, bot=bot, reason=reason))
    typer.echo(f"reinstated {bot} in {competition}; its matches there count again")


@bot_app.command("rename")
@asks(HOSTING)
def rename_bot(
    where: Where,
    bot: BotNameArgument,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its new name.")],
    reason: ReasonOption = "",
) -> None:
    """Rename a bot. It may still connect under its former name, which nobody else can take."""
    from roost.v1 import admin_pb2

    where.administer(admin_pb2.RenameBotRequest(bot=bot, name=name, reason=reason))
    typer.echo(f"renamed {bot} to {name}")


@bot_app.command("move")
@asks(HOSTING)
def move_bot(
    where: Where,
    bot: BotNameArgument,
    owner: Annotated[str, typer.Argument(metavar="OWNER", help="Its new owner.")],
    reason: ReasonOption = "",
) -> None:
    """Give a bot to another owner. Keys for this bot end, and it is disconnected."""
    from roost.v1 import admin_pb2

    ruling = where.administer(admin_pb2.MoveBotRequest(bot=bot, owner=owner, reason=reason))
    typer.echo(f"moved {bot} from {ruling.before} to {owner}")


@match_app.command("void")
@asks(HOSTING)
def void_match(
    where: Where,
    match: Annotated[str, typer.Argument(metavar="MATCH", help="The match: see roost matches.")],
    reason: ReasonOption = "",
) -> None:
    """Void a match, so that it does not count. A running match is ended and played again; a finished one is not."""
    from roost.v1 import admin_pb2

    where.administer(admin_pb2.VoidMatchRequest(match_id=match, reason=reason))
    typer.echo(f"voided match {match}; it does not count")


@phase_app.command("enter")
@asks(HOSTING)
def enter_phase(
    where: Where,
    competition: CompetitionArgument,
    phase: Annotated[str, typer.Argument(metavar="PHASE", help="The phase to enter.")],
) -> None:
    """Move a competition to another phase. `roost admin phase COMPETITION PHASE` does the same."""
    from roost.v1 import admin_pb2

    answer = where.administer(admin_pb2.ChangePhaseRequest(competition=competition, phase=phase))
    typer.echo(f"{competition}: phase {answer.before} → {answer.phase}")


@phase_app.command("extend")
@asks(HOSTING)
def extend_phase(
    where: Where,
    competition: CompetitionArgument,
    by: Annotated[str, typer.Argument(metavar="TIME", help="How much longer, such as 90m or 2h.")],
    reason: ReasonOption = "",
) -> None:
    """Let the current phase last longer: all later phases that have a time begin later."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.accounts import moment

    by_ms = round(parse_duration(by) * 1000)
    request = admin_pb2.ExtendPhaseRequest(competition=competition, by_ms=by_ms, reason=reason)
    for ruling in where.administer(request).rulings:
        typer.echo(
            f"{competition}: {ruling.subject} begins {moment(int(ruling.after))}, not {moment(int(ruling.before))}"
        )


@admin_app.command()
@asks(HOSTING)
def release(
    where: Where,
    competition: CompetitionArgument,
    phase: Annotated[
        str | None, typer.Option(metavar="PHASE", help="Which phase. By default the first that is held back.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Release all rounds, not only the next one.")] = False,
) -> None:
    """Release results that are held back: the next round if the file says "rounds", otherwise all. That is final."""
    from roost.v1 import admin_pb2

    request = admin_pb2.ReleaseResultsRequest(competition=competition, phase=phase or "", everything=everything)
    released = where.administer(request)
    what = f"round {released.round} of the {released.phase}" if released.round else f"the {released.phase}"
    typer.echo(f"{competition}: released the results of {what}")
