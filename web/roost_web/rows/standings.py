"""The standings, everybody against everybody, and one pair of bots."""

from pydantic import BaseModel, Field

from roost.v1 import arena_pb2, records_pb2
from roost_ladder.rating.standings import PlacesAt, Standing
from roost_web.client import ArenaClient
from roost_web.rows.filters import Filter, StandingsFilter


class ShownPlaces(BaseModel):
    """What a bot did at tables of one size."""

    players: int
    matches: int
    mean_place: float


class ShownScore(BaseModel):
    """A bot version in the clone-proof ranking, by its score against the mix of bots that nothing beats."""

    score: float = Field(description="The share of matches in which it would finish ahead, a tie as half.")
    score_low: float = Field(description="The lower end of the 95 % interval.")
    score_high: float
    rank_low: int
    rank_high: int


class ShownStanding(BaseModel):
    """A bot version in the standings."""

    version_id: int
    bot: str
    version: str
    rating: float
    rating_low: float = Field(description="The lower end of the 95 % interval.")
    rating_high: float
    rank_low: int = Field(description="The best rank that the results allow.")
    rank_high: int
    above_next: float | None = Field(description="How likely it is to be above the next one; null for the last one.")
    matches: int
    blocks: int
    wins: int
    faults: int
    places: list[ShownPlaces]
    trend: float | None = Field(description="How much the rating has changed in 24 hours.")
    ms_per_decision: float | None
    clone_proof: ShownScore | None = Field(default=None, description="In the second ranking; null if there is none.")

    def standing(self) -> Standing:
        """As the ladder's tables take it."""
        return Standing(
            bot=self.version_id,
            rating=self.rating,
            low=self.rating_low,
            high=self.rating_high,
            best_rank=self.rank_low,
            worst_rank=self.rank_high,
            matches=self.matches,
            blocks=self.blocks,
            wins=self.wins,
            places=tuple(PlacesAt(at.players, at.matches, at.mean_place) for at in self.places),
            above_next=self.above_next,
        )


class ShownInCircle(BaseModel):
    """One of three bot versions of which each beats the next, and the last one the first."""

    version_id: int
    bot: str
    version: str
    ahead_of_next: float = Field(description="The share of their matches in which it was ahead of the next one.")


class ShownCircularity(BaseModel):
    """How far pairs stray from what the ratings say, where no single order fits the results."""

    strength: float = Field(description="0 if one order explains everything, 1 if every pair is decided by itself.")
    strength_low: float = Field(description="The lower end of the 95 % interval.")
    strength_high: float
    circle: list[ShownInCircle] = Field(description="Empty if no three surely beat each other.")


class ShownSpecialist(BaseModel):
    """A bot version that is surely stronger or weaker in one game, or at one table size, than elsewhere."""

    version_id: int
    bot: str
    version: str
    game: str | None = Field(description="Where; null if it is a table size.")
    players: int | None = Field(description="Where; null if it is a game.")
    rank: int = Field(description="By the rating over everything.")
    rank_there: int
    points: float = Field(description="By how much it is rated higher there than elsewhere.")
    points_low: float = Field(description="The lower end of the 95 % interval.")
    points_high: float


class Standings(BaseModel):
    """The strongest bot first."""

    filter: StandingsFilter = Field(description="Which matches these are, with the competition and the phase.")
    matches: int = Field(description="The number of matches that count.")
    rows: list[ShownStanding]
    held: str = Field(default="", description="Says that results are held back, and until when; empty if none are.")
    circularity: ShownCircularity | None = Field(default=None, description="Null if one order may fit the results.")
    second: str = Field(default="", description="What there is to say of the clone-proof ranking; empty if nothing.")
    specialists: list[ShownSpecialist] = Field(default=[], description="The clearest first.")

    @property
    def sizes(self) -> list[int]:
        """The table sizes that were played."""
        return sorted({at.players for row in self.rows for at in row.places})

    def row(self, version_id: int) -> ShownStanding | None:
        """The row of one bot version."""
        return next((row for row in self.rows if row.version_id == version_id), None)


async def standings(client: ArenaClient, wanted: Filter) -> Standings:
    """The standings over the wanted matches."""
    request = wanted.standings()
    answer = await client.standings(request)
    shown = StandingsFilter(
        game=wanted.game,
        players=wanted.players,
        competition=answer.competition or wanted.competition,
        phase=answer.phase or wanted.phase,
        everything=request.everything,
    )
    scores = {each.version_id: _score(each) for each in answer.second.scores}
    rows = [_row(each, scores.get(each.version_id)) for each in answer.standings]
    circles = _circularity(answer.circularity) if answer.HasField("circularity") else None
    return Standings(
        filter=shown,
        matches=answer.matches,
        rows=rows,
        held=answer.held,
        circularity=circles,
        second=answer.second.summary,
        specialists=_specialists(answer),
    )


def _specialists(answer: arena_pb2.GetStandingsResponse) -> list[ShownSpecialist]:
    rows = {row.version_id: row for row in answer.standings}
    return [
        ShownSpecialist(
            version_id=each.version_id,
            bot=rows[each.version_id].name,
            version=rows[each.version_id].version,
            game=each.game or None,
            players=each.players or None,
            rank=each.rank,
            rank_there=each.rank_there,
            points=each.points,
            points_low=each.points_low,
            points_high=each.points_high,
        )
        for each in answer.specialists
    ]


def _score(each: arena_pb2.SecondScore) -> ShownScore:
    return ShownScore(
        score=each.score,
        score_low=each.score_low,
        score_high=each.score_high,
        rank_low=each.rank_low,
        rank_high=each.rank_high,
    )


def _row(each: arena_pb2.Standing, score: ShownScore | None) -> ShownStanding:
    return ShownStanding(
        version_id=each.version_id,
        bot=each.name,
        version=each.version,
        rating=each.rating,
        rating_low=each.rating_low,
        rating_high=each.rating_high,
        rank_low=each.rank_low,
        rank_high=each.rank_high,
        above_next=each.above_next if each.HasField("above_next") else None,
        matches=each.matches,
        blocks=each.blocks,
        wins=each.wins,
        faults=each.faults,
        places=[ShownPlaces(players=at.players, matches=at.matches, mean_place=at.mean_place) for at in each.places],
        trend=each.trend if each.HasField("trend") else None,
        ms_per_decision=each.thinking_ms / each.decisions if each.decisions else None,
        clone_proof=score,
    )


def _circularity(found: arena_pb2.Circularity) -> ShownCircularity:
    return ShownCircularity(
        strength=found.strength,
        strength_low=found.strength_low,
        strength_high=found.strength_high,
        circle=[
            ShownInCircle(
                version_id=each.version_id, bot=each.name, version=each.version, ahead_of_next=each.ahead_of_next
            )
            for each in found.circle
        ],
    )


class ShownPair(BaseModel):
    """Two bot versions that have met, seen from the first one."""

    version_id: int
    opponent_version_id: int
    matches: int
    blocks: int
    share: float = Field(description="The share of matches in which the first finished ahead; a tie is half.")
    share_low: float
    share_high: float
    expected: float = Field(description="The share that the ratings expect.")
    defies: bool = Field(description="Whether that differs by more than chance explains, all pairs considered.")

    @property
    def sure(self) -> bool:
        """Whether one of them is certainly ahead."""
        return self.share_low > 0.5 or self.share_high < 0.5

    def turned(self) -> "ShownPair":
        """The same, seen from the other one."""
        return ShownPair(
            version_id=self.opponent_version_id,
            opponent_version_id=self.version_id,
            matches=self.matches,
            blocks=self.blocks,
            share=1 - self.share,
            share_low=1 - self.share_high,
            share_high=1 - self.share_low,
            expected=1 - self.expected,
            defies=self.defies,
        )


class CrossTable(BaseModel):
    """Every pair that has met, once, and the standings that give the order."""

    standings: Standings
    pairs: list[ShownPair]

    def meetings(self) -> dict[tuple[int, int], ShownPair]:
        """By both versions, in both orders."""
        both = [*self.pairs, *(pair.turned() for pair in self.pairs)]
        return {(pair.version_id, pair.opponent_version_id): pair for pair in both}

    def surprises(self) -> list[ShownPair]:
        """Pairs that defy the ladder, the one that does better than expected first."""
        defying = [pair if pair.share > pair.expected else pair.turned() for pair in self.pairs if pair.defies]
        return sorted(defying, key=lambda pair: pair.expected - pair.share)


async def cross_table(client: ArenaClient, wanted: Filter, version_id: int = 0) -> CrossTable:
    """Everybody against everybody over the wanted matches, or one version against all."""
    rated = await standings(client, wanted)
    request = records_pb2.GetCrossTableRequest(filter=rated.filter.record(), version_id=version_id)
    answer = await client.cross_table(request)
    return CrossTable(standings=rated, pairs=[_pair(each) for each in answer.pairs])


def _pair(each: records_pb2.Pair) -> ShownPair:
    return ShownPair(
        version_id=each.version_id,
        opponent_version_id=each.opponent_version_id,
        matches=each.matches,
        blocks=each.blocks,
        share=each.share,
        share_low=each.share_low,
        share_high=each.share_high,
        expected=each.expected,
        defies=each.defies,
    )


class RatingPoint(BaseModel):
    """The rating of one bot version at one moment."""

    version_id: int
    rating: float
    rating_low: float
    rating_high: float


class RatingMoment(BaseModel):
    """The ratings at one moment."""

    at_ms: int
    matches: int = Field(description="The number of matches that counted by then.")
    ratings: list[RatingPoint]


class RatingHistory(BaseModel):
    """The ratings at several moments, the oldest first."""

    moments: list[RatingMoment]


async def rating_history(client: ArenaClient, wanted: Filter, version_id: int = 0) -> RatingHistory:
    """How the ratings came about."""
    request = records_pb2.GetRatingHistoryRequest(filter=wanted.record(), version_id=version_id)
    answer = await client.rating_history(request)
    return RatingHistory(
        moments=[
            RatingMoment(
                at_ms=moment.at_ms,
                matches=moment.matches,
                ratings=[
                    RatingPoint(
                        version_id=each.version_id,
                        rating=each.rating,
                        rating_low=each.rating_low,
                        rating_high=each.rating_high,
                    )
                    for each in moment.ratings
                ],
            )
            for moment in answer.moments
        ]
    )
