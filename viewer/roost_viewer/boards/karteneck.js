/** Karteneck: the grill with its portions in the middle; hands, displays and stacks around it. */

import { cardBack, counted, html, numberCard, picture, plainCard, tileBack, wormCard } from "./drawing.js";
import {
  cross,
  handZone,
  heap,
  lossTags,
  newcomers,
  nothing,
  piece,
  row,
  side,
  stackZone,
  tag,
  tick,
  tilePiece,
  tilesInWords,
  valueOf,
  zone,
} from "./pieces.js";
import { tableStyles } from "./style.js";
import { createTable, seatName } from "./table.js";

export const styles = tableStyles;

const STATUS = { valid: "out, valid", invalid: "out, invalid" };

/** The board in `root`; see README.md. */
export function createBoard(root, frames) {
  return createTable(root, frames, GAME);
}

const GAME = {
  name: "karteneck",
  around: "rows",
  middle: (scene) => [grill(scene), piles(scene)],
  seat: (scene, seat) => ({
    tags: [...statusTags(scene, seat), ...lossTags(scene, seat)],
    zones: [display(scene, seat), stackZone(scene, seat, "portion"), handZone(scene, seat, cardPiece)],
  }),
  did,
  points: (points) => counted(points, "worm"),
  describe,
};

function grill({ view, before }) {
  const fresh = newcomers(view.grill, before?.grill, valueOf);
  const portions = view.grill.map((portion, index) =>
    tilePiece(portion, "portion", { place: "grill", index, fresh: fresh.has(index), from: "supply" }),
  );
  return zone(
    "grill",
    "grill",
    `Grill · round ${view.round} of ${view.rounds}`,
    `grill, ${counted(view.grill.length, "portion")}`,
    portions.length ? row(portions, "tile") : html("span", { class: "bare" }, "empty"),
  );
}

function piles({ view }) {
  return html(
    "div",
    { class: "piles" },
    heap("supply", "Supply", view.supply_size, "portion", tileBack(), 48, 76, "tile"),
    heap("pile", "Pile", view.pile_size, "card", cardBack(), 60, 84, "card"),
    discard(view),
  );
}

function discard({ discard: cards }) {
  const index = cards.length - 1;
  const top = cards.length
    ? cardPiece(cards[index], { place: "discard", index })
    : picture("no card discarded", 60, 84, nothing(60, 92));
  top.classList.add("heap", "card");
  return html(
    "div",
    { class: "pile", "data-zone": "discard" },
    html("span", { class: "caption", "aria-hidden": "true" }, "Discard"),
    top,
    html("b", { class: "count", "aria-hidden": "true" }, cards.length),
  );
}

function statusTags({ view }, seat) {
  const words = view.to_move.length ? STATUS[view.status[seat]] : null;
  return words ? [tag(view.status[seat], words, view.status[seat] === "valid" ? tick() : cross())] : [];
}

function display({ view, before }, seat) {
  const place = `displays/${seat}`;
  const cards = view.displays[seat];
  const fresh = newcomers(cards, before?.displays[seat]);
  const pieces = cards.map((card, index) =>
    cardPiece(card, { place, index, fresh: fresh.has(index), from: `hands/${seat}` }),
  );
  const total = view.totals[seat];
  return zone(
    place,
    "display sided",
    null,
    `display of seat ${seat}, ${cards.length ? `total ${total}` : "empty"}`,
    side(total, "total"),
    cards.length ? row(pieces, "card") : html("span", { class: "bare" }, "nothing laid"),
  );
}

function cardPiece(card, thing) {
  return piece({ ...thing, card, name: cardInWords(card) }, "card", 60, 84, cardFaceOf(card));
}

function cardFaceOf(card) {
  if (/^W\d+$/.test(card)) return wormCard(card.slice(1));
  return /^[1-5]$/.test(card) ? numberCard(Number(card)) : plainCard(card);
}

function cardInWords(card) {
  if (/^W\d+$/.test(card)) return `worm card, signpost ${card.slice(1)}`;
  return /^\d+$/.test(card) ? `number card ${card}` : card;
}

function did({ view, before }, seat, move) {
  if (move.lay) return `laid ${move.lay.join(" ")}`;
  const passed = before?.totals[seat] ? `passed with ${before.totals[seat]}` : "passed";
  return move.steal ? `${passed}, stole ${view.stacks[seat].at(-1)?.value ?? "a portion"}` : passed;
}

function describe(scene) {
  const { view } = scene;
  return [
    `Round ${view.round} of ${view.rounds}. Grill: ${tilesInWords(view.grill)}. Supply: ${counted(view.supply_size, "portion")}.`,
    `Pile: ${counted(view.pile_size, "card")}. Discard pile: ${counted(view.discard.length, "card")}${view.discard.length ? `, ${view.discard.at(-1)} on top` : ""}.`,
    ...view.stacks.map((_, seat) => seatInWords(scene, seat)),
  ];
}

function seatInWords(scene, seat) {
  const { view } = scene;
  const cards = view.hands[seat];
  return (
    [
      `${seatName(scene, seat)}: ${counted(scene.frame.points[seat], "worm")}`,
      `display ${view.displays[seat].join(" ") || "empty"}${view.displays[seat].length ? `, total ${view.totals[seat]}` : ""}`,
      `stack ${tilesInWords(view.stacks[seat])}`,
      `hand ${cards ? cards.join(" ") || "empty" : `${counted(view.hand_sizes[seat], "card")}, face down`}`,
      ...(view.to_move.length && STATUS[view.status[seat]] ? [STATUS[view.status[seat]]] : []),
      ...(view.to_move.includes(seat) ? ["decides now"] : []),
    ].join("; ") + "."
  );
}
