"""Lessons as a web page. It is self-contained, as the ladder's report is, and looks like that."""

from collections.abc import Sequence

from roost_games.registry import get_game
from roost_ladder.report.markup import cell, element, head, isolated, row, table, text
from roost_ladder.report.page import document
from roost_ladder.workshop.lessons import Lesson
from roost_ladder.workshop.losses import Lessons
from roost_ladder.workshop.review import plus_minus


def lessons_page(found: Lessons) -> str:
    """The whole page."""
    study = found.study
    counts = ((f"{study.losses:,}", "lost matches"), (f"{study.decisions:,}", "decisions"))
    return document(
        f"Lessons for {found.bot}",
        element(
            "header",
            element("div", "Roost lessons", class_="over"),
            element("h1", "Lessons for ", isolated(found.bot)),
            *(element("span", element("b", number), f" {what}", class_="count") for number, what in counts),
        ),
        element(
            "main",
            element(
                "section",
                element("h2", "What costs most"),
                *(element("p", text(sentence), class_="say") for sentence in found.said),
                *([_table(found.lessons, found.better)] if found.lessons else []),
            ),
        ),
    )


def _table(lessons: Sequence[Lesson], better: str) -> str:
    heads = [
        head("what it does", "name"),
        head("costs places", "number"),
        head("times", "number"),
        head("of all", "number"),
        head(f"{better} instead", "name"),
        head("for example", "name"),
    ]
    several = len({lesson.game for lesson in lessons}) > 1
    return table(heads, (_row(lesson, several) for lesson in lessons), "words", "Lessons")


def _row(lesson: Lesson, of_several_games: bool) -> str:
    example = lesson.example
    kind = f"{lesson.kind} ({get_game(lesson.game).title})" if of_several_games else lesson.kind
    instead, times = lesson.instead[0]
    shown = f"match {example.match}, step {example.step}: {example.played}; better {example.advised}"
    return row(
        element("th", text(kind), scope="row", class_="name"),
        cell(element("b", plus_minus(lesson.cost)) if lesson.is_sure else plus_minus(lesson.cost), "number"),
        cell(str(lesson.times), "number"),
        cell(str(lesson.made), "number"),
        cell(f"{text(instead)} ({times})"),
        cell(text(shown)),
    )
