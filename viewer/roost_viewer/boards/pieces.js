/** What lies on a table: things that can be clicked, heaps, zones with captions, tags and the hens of the seats. */

import {
  at,
  cardBack,
  circle,
  counted,
  hen,
  html,
  label,
  ornament,
  path,
  picture,
  rect,
  smallTile,
  tileFace,
} from "./drawing.js";

/**
 * A thing on the table.
 *
 * @param {object} thing `place` and `index`: where it is in the view; `card`: its name there; `name`: in words;
 *   `fresh`: whether the last move brought it here; `drawn`: whether it was drawn after it; `from`: the zone that it comes from if that cannot be seen;
 *   `key`: what it is for motion, if not its place and name; `tumbles`: whether it was rolled
 * @param {string} kind the class for its size: card, tile, die or layer
 */
export function piece(thing, kind, width, height, parts) {
  const drawing = picture(thing.name, width, height, parts);
  drawing.setAttribute(
    "class",
    ["piece", kind, thing.fresh && "fresh", thing.drawn && "drawn"].filter(Boolean).join(" "),
  );
  Object.assign(drawing.dataset, {
    place: thing.place,
    card: thing.card,
    index: thing.index,
    key: thing.key ?? `${thing.place}|${thing.card}`,
  });
  if (thing.tumbles) drawing.dataset.tumbles = "";
  if (thing.from) drawing.dataset.from = thing.from;
  return drawing;
}

/** Something face down. */
function hiddenPiece(place, kind, width, height, parts, from) {
  const drawing = ornament(width, height, parts);
  drawing.setAttribute("class", `piece ${kind} face-down`);
  Object.assign(drawing.dataset, { key: `${place}|back` });
  if (from) drawing.dataset.from = from;
  return drawing;
}

/** Things beside each other, which overlap where there is not room enough. */
export function row(pieces, kind) {
  return html(
    "div",
    { class: `row ${kind}s` },
    pieces.map((drawing) => html("span", { class: "slot" }, drawing)),
  );
}

/** A number with what it counts, beside the things themselves. */
export function side(number, counts) {
  return html("span", { class: "side", "aria-hidden": "true" }, html("b", {}, number), html("span", {}, counts));
}

/** A seat's hand: open where the eye sees it, otherwise face down. `draw` makes a card. */
export function handZone({ view, before }, seat, draw) {
  const place = `hands/${seat}`;
  const size = view.hand_sizes[seat];
  const cards = view.hands[seat];
  const pieces = cards ? openHand(cards, before?.hands[seat], place, draw) : closedHand(size, place);
  return zone(
    place,
    "hand sided",
    null,
    `hand of seat ${seat}, ${counted(size, "card")}${cards ? "" : ", face down"}`,
    side(size, "hand"),
    size ? row(pieces, "card") : html("span", { class: "bare" }, "no card"),
  );
}

function openHand(cards, before, place, draw) {
  const fresh = newcomers(cards, before);
  return cards.map((card, index) => draw(card, { place, index, drawn: fresh.has(index), from: "pile" }));
}

function closedHand(size, place) {
  return Array.from({ length: size }, () => hiddenPiece(place, "card", 60, 84, cardBack(), "pile"));
}

/**
 * The tiles or portions of a seat: the top one large, since only that can be lost, the others small.
 *
 * @param {{value: number, worms: number}[]} tiles the newest last
 * @param {string} thing what they are called
 */
export function stackZone({ view, before }, seat, thing) {
  const place = `stacks/${seat}`;
  const tiles = view.stacks[seat];
  const fresh = newcomers(tiles, before?.stacks[seat], valueOf);
  const pieces = tiles.map((tile, index) =>
    tilePiece(tile, thing, { place, index, fresh: fresh.has(index), from: "grill" }, index < tiles.length - 1),
  );
  pieces.forEach((drawing, index) => drawing.style.setProperty("order", -index));
  const top = tiles.at(-1);
  return zone(
    place,
    "stack",
    null,
    `stack of seat ${seat}, ${top ? `${counted(tiles.length, thing)}, top ${top.value}` : "empty"}`,
    top
      ? html("div", { class: "heaped" }, html("div", { class: "under" }, pieces.slice(0, -1)), pieces.at(-1))
      : html("span", { class: "bare" }, `no ${thing}`),
  );
}

/** Says what a seat lost with the last move: a stolen or returned top. */
export function lossTags({ view, before }, seat) {
  const lost = before && view.stacks[seat].length < before.stacks[seat].length ? before.stacks[seat].at(-1) : null;
  return lost ? [tag("lost", `lost ${lost.value}`)] : [];
}

/** A portion or tile with its value and worms. */
export function tilePiece({ value, worms }, thing, where, small = false) {
  const named = { ...where, card: value, name: `${thing} ${value}, ${counted(worms, "worm")}` };
  return small
    ? piece(named, "small-tile", 48, 58, smallTile(value, worms))
    : piece(named, "tile", 48, 76, tileFace(value, worms));
}

/** What tells a tile from the others. */
export function valueOf(tile) {
  return String(tile.value);
}

/** `24 (2 worms), 30 (3 worms)` */
export function tilesInWords(tiles) {
  return tiles.map(({ value, worms }) => `${value} (${counted(worms, "worm")})`).join(", ") || "empty";
}

/** A part of the table with a caption; `words` name it for those who do not see it. */
export function zone(id, kind, caption, words, ...content) {
  return html(
    "div",
    { class: `zone ${kind}`, "data-zone": id, role: "group", "aria-label": words },
    caption ? html("span", { class: "caption", "aria-hidden": "true" }, caption) : null,
    content,
  );
}

/** Which of `now` were not in `before`; of equal ones the later are the new ones. */
export function newcomers(now, before, nameOfThing = String) {
  if (!before) return new Set();
  const left = new Map();
  for (const thing of before) left.set(nameOfThing(thing), (left.get(nameOfThing(thing)) ?? 0) + 1);
  const fresh = new Set();
  now.forEach((thing, index) => {
    const name = nameOfThing(thing);
    if (left.get(name)) left.set(name, left.get(name) - 1);
    else fresh.add(index);
  });
  return fresh;
}

/** A heap of things that lie face down, with their number. */
export function heap(id, caption, count, thing, face, width, height, kind) {
  const under = Math.min(3, Math.max(0, count - 1));
  const layers = Array.from({ length: under }, (_, index) =>
    at(
      (under - index) * 1.8,
      (under - index) * 1.8,
      1,
      rect(1, 1, width - 2, height - 8, 8, { class: "heap-edge", "stroke-width": 1.2 }),
    ),
  );
  const drawing = picture(
    `${caption}: ${counted(count, thing)}`,
    width + 6,
    height + 6,
    count ? [layers, face] : nothing(width, height),
  );
  drawing.setAttribute("class", `heap ${kind}`);
  drawing.dataset.zone = id;
  return html(
    "div",
    { class: "pile" },
    html("span", { class: "caption", "aria-hidden": "true" }, caption),
    drawing,
    html("b", { class: "count", "aria-hidden": "true" }, count),
  );
}

/** An empty spot. */
export function nothing(width, height) {
  return rect(2, 2, width - 4, height - 8, 8, { class: "empty", "stroke-width": 1.6, "stroke-dasharray": "4 4" });
}

/** A few words in a frame, with a sign before them. */
export function tag(kind, words, sign = null) {
  return html("span", { class: `tag ${kind}` }, sign, words);
}

/** The sign for what does not hold. */
export function cross() {
  return ornament(
    10,
    10,
    path("M2 2l6 6M8 2l-6 6", { class: "sign-line", "stroke-width": 2, "stroke-linecap": "round" }),
  );
}

/** The sign for what holds. */
export function tick() {
  return ornament(
    10,
    10,
    path("M1.5 5.5l2.5 2.5 4.5-5.500", {
      class: "sign-line",
      fill: "none",
      "stroke-width": 2,
      "stroke-linecap": "round",
    }),
  );
}

/** A hen with the seat's number; `small` beside a card that the seat laid. */
export function chip(seat, small = false) {
  const badge = [
    circle(10, 30, 9, { class: "badge", "stroke-width": 2.4 }),
    label(seat, 10, 35, 14, 14, { class: "printed badge-ink" }),
  ];
  const bird = ornament(42, 40, at(2, 0, 1, hen("var(--seat)")), badge);
  return html(
    "span",
    { class: `chip s${seat % 8}${small ? " small" : ""}` },
    bird,
    small ? null : html("span", { class: "hidden" }, `seat ${seat}`),
  );
}
