/** Häc Mäc, with or without slapping: the burger in the middle; hands, tops, burgers and penalties around it. */

import {
  LAYER,
  bottomBun,
  bottomSign,
  fly,
  glass,
  inWords,
  ingredient,
  ingredientCard,
  layer,
  slapHand,
  smallBurger,
  smallBurgerHeight,
  topSign,
  usedTopSign,
} from "./burgers.js";
import { cardBack, counted, html, ornament, picture, shape } from "./drawing.js";
import { chip, handZone, heap, newcomers, piece, row, side, tag, zone } from "./pieces.js";
import { tableStyles } from "./style.js";
import { createTable, seatName } from "./table.js";

export const styles = tableStyles;

const PHASES = {
  open: (seat) => `Seat ${seat} begins a burger`,
  turn: (seat) => `Turn of seat ${seat}`,
  react: (seat) => `Reactions to seat ${seat}`,
  over: () => "The match is over",
};
const MEANS = { normal: "normal top", double: "doubling top", fly: "fly" };

/** The board in `root`; see README.md. */
export function createBoard(root, frames) {
  return createTable(root, frames, GAME);
}

const GAME = {
  name: "haecmaec",
  around: "columns",
  middle: (scene) => [counter(scene), burger(scene), bin(scene)],
  seat: (scene, seat) => ({
    tags: tags(scene, seat),
    beside: tops(scene, seat),
    zones: [handZone(scene, seat, ingredientPiece), closed(scene, seat), penalties(scene, seat)],
  }),
  did,
  points: (points) => counted(points, "point"),
  describe,
};

function counter({ view }) {
  return html(
    "div",
    { class: "piles" },
    heap("pile", "Pile", view.pile, "card", cardBack(), 60, 84, "card"),
    heapOfBottoms(view.bottoms),
  );
}

function heapOfBottoms(bottoms) {
  const shown = Math.min(bottoms, 5);
  const drawing = picture(
    `bottoms: ${bottoms} left`,
    40,
    44,
    Array.from({ length: shown }, (_, index) =>
      shape("g", { transform: `translate(0 ${26 - index * 6})` }, bottomSign()),
    ),
  );
  drawing.setAttribute("class", "bottoms");
  drawing.dataset.zone = "bottoms";
  return html(
    "div",
    { class: "pile" },
    html("span", { class: "caption", "aria-hidden": "true" }, "Bottoms"),
    drawing,
    html("b", { class: "count", "aria-hidden": "true" }, bottoms),
  );
}

function burger(scene) {
  const { view } = scene;
  const points = sum(view.burger);
  const words = view.burger.length
    ? `burger in the middle, ${counted(view.burger.length, "ingredient")}, ${counted(points, "point")}`
    : "no burger in the middle";
  return zone(
    "burger",
    "burger",
    null,
    words,
    html(
      "div",
      { class: "plate-caption" },
      html("span", {}, phaseInWords(view)),
      view.burger.length ? html("b", {}, counted(points, "point")) : null,
    ),
    html(
      "div",
      { class: "tower" },
      plate(),
      view.burger.length ? [bun(), ...layers(scene)] : html("span", { class: "bare" }, "no burger"),
    ),
  );
}

function phaseInWords({ phase, turn }) {
  return Object.hasOwn(PHASES, phase) ? PHASES[phase](turn) : phase;
}

function bun() {
  return html("div", { class: "storey" }, html("span", {}), ornament(200, 34, bottomBun()), html("span", {}));
}

/** The ingredients, lowest first: the style sheet piles them up. */
function layers({ view, before }) {
  const fresh = freshLayers(view, before);
  return view.burger.map((card, index) => {
    const seat = view.laid_by[index];
    const { kind, value } = ingredient(card);
    const name = `${inWords(card)}, laid by seat ${seat}`;
    return html(
      "div",
      { class: "storey" },
      chip(seat, true),
      piece(
        { place: "burger", index, card, name, fresh: fresh.has(index), from: `hands/${seat}` },
        "layer",
        LAYER.width,
        LAYER.height,
        layer(kind),
      ),
      html("span", { class: "worth", "aria-hidden": "true" }, html("b", {}, value), html("span", {}, kind)),
    );
  });
}

/** A burger that was begun with this move is all new, even if it holds the same card as the one before. */
function freshLayers(view, before) {
  if (!before) return new Set();
  const grown = before.burger.every((card, index) => card === view.burger[index]);
  return grown ? newcomers(view.burger, before.burger) : new Set(view.burger.length === 1 ? [0] : []);
}

function plate() {
  const china = ornament(200, 12, shape("ellipse", { cx: 100, cy: 6, rx: 108, ry: 5, class: "plate" }));
  return html("div", { class: "storey under-all" }, html("span", {}), china, html("span", {}));
}

function bin(scene) {
  const { view, before } = scene;
  if (!view.spoiled.length) return null;
  const fresh = before ? before.spoiled.length : view.spoiled.length;
  const burgers = view.spoiled.map((spoiled, index) =>
    burgerPiece(spoiled.cards, "fly", `spoiled/${index}/cards`, `spoiled by seat ${spoiled.seat}`, index >= fresh),
  );
  return zone(
    "spoiled",
    "spoiled",
    `Spoiled ${burgers.length}`,
    `${counted(burgers.length, "spoiled burger")}`,
    html("div", { class: "burgers" }, burgers),
  );
}

function burgerPiece(cards, top, place, words, fresh) {
  const height = smallBurgerHeight(cards.length);
  const mark = (index, drawing) =>
    shape(
      "g",
      {
        role: "img",
        "aria-label": inWords(cards[index]),
        "data-place": place,
        "data-card": cards[index],
        "data-index": index,
      },
      drawing,
    );
  const drawing = shape(
    "svg",
    { viewBox: `0 0 60 ${height}`, role: "group", "aria-label": `burger ${words}: ${cards.map(inWords).join(", ")}` },
    smallBurger(cards, top, mark),
  );
  drawing.setAttribute("class", `piece small-burger${fresh ? " fresh" : ""}`);
  drawing.dataset.key = place;
  drawing.dataset.from = "burger";
  return drawing;
}

function ingredientPiece(card, thing) {
  return piece({ ...thing, card, name: thing.name ?? inWords(card) }, "card", 60, 84, ingredientCard(card));
}

function tops({ view }, seat) {
  const normal = view.normal_tops[seat];
  const doubling = view.doubling_tops[seat];
  const words = `${counted(normal, "normal top")}, ${counted(doubling, "doubling top")} left to seat ${seat}`;
  return zone(
    `tops/${seat}`,
    "tops",
    null,
    words,
    html(
      "span",
      { class: "top-sign", "aria-hidden": "true" },
      ornament(40, 28, topSign(false)),
      html("b", {}, `×${normal}`),
    ),
    html(
      "span",
      { class: "top-sign", "aria-hidden": "true" },
      ornament(40, 28, doubling ? topSign(true) : usedTopSign()),
    ),
  );
}

function closed({ view, before }, seat) {
  const known = before ? before.closed[seat].length : view.closed[seat].length;
  const burgers = view.closed[seat].map(({ cards, top }, index) => {
    const points = worth(cards, top);
    const words = `for ${counted(points, "point")}, ${MEANS[top] ?? top}`;
    return html(
      "span",
      { class: "served" },
      burgerPiece(cards, top, `closed/${seat}/${index}/cards`, words, index >= known),
      html("b", { "aria-hidden": "true" }, points),
    );
  });
  return zone(
    `closed/${seat}`,
    "closed sided",
    null,
    `${counted(burgers.length, "burger")} of seat ${seat}`,
    side(burgers.length, burgers.length === 1 ? "burger" : "burgers"),
    burgers.length ? html("div", { class: "burgers" }, burgers) : html("span", { class: "bare" }, "none yet"),
  );
}

function penalties({ view, before }, seat) {
  const cards = view.penalties[seat];
  if (!cards.length) return null;
  const place = `penalties/${seat}`;
  const fresh = newcomers(cards, before?.penalties[seat]);
  const pieces = cards.map((card, index) =>
    ingredientPiece(card, {
      place,
      index,
      fresh: fresh.has(index),
      from: "burger",
      name: `penalty card ${inWords(card)}`,
    }),
  );
  return zone(
    place,
    "penalties sided",
    null,
    `${counted(cards.length, "penalty card")} of seat ${seat}, minus ${2 * sum(cards)}`,
    side(`−${2 * sum(cards)}`, cards.length === 1 ? "penalty" : "penalties"),
    row(pieces, "card"),
  );
}

function sum(cards) {
  return cards.reduce((total, card) => total + ingredient(card).value, 0);
}

function worth(cards, top) {
  return sum(cards) * (top === "double" ? 2 : 1);
}

/** What a seat says to the latest ingredient: in public once all have answered, before that only to its own eye. */
function tags({ view }, seat) {
  const said = view.reactions[seat];
  const secret = view.answers?.[seat];
  return [
    view.shown_flies[seat] ? tag("shown", "holds a fly", ornament(40, 40, fly())) : null,
    ...(said && seat !== view.turn ? reactionTags(said, "") : []),
    ...(secret ? reactionTags(secret, " secret") : []),
  ];
}

function reactionTags(reaction, how) {
  const found = [];
  if (reaction.suspect) found.push(tag(`reaction${how}`, "suspects", ornament(32, 32, glass())));
  if (reaction.slap && reaction.slap !== "no")
    found.push(tag(`reaction${how}`, `slaps: ${MEANS[reaction.slap] ?? reaction.slap}`, ornament(32, 32, slapHand())));
  return found.length ? found : [tag(`reaction quiet${how}`, "no reaction")];
}

function did(_scene, _seat, move) {
  if (move.close) return `closed: ${MEANS[move.close] ?? move.close}`;
  if (move.play === "fly") return "played a fly";
  return move.play ? `laid ${inWords(move.play)}` : "";
}

function describe(scene) {
  const { view } = scene;
  const laid = view.burger.map((card, index) => `${inWords(card)} (seat ${view.laid_by[index]})`).join(", ");
  return [
    `${phaseInWords(view)}. Burger: ${laid ? `${laid}; ${counted(sum(view.burger), "point")}` : "none"}.`,
    `Pile: ${counted(view.pile, "card")}. Bottoms: ${view.bottoms}. Spoiled burgers: ${view.spoiled.length}.`,
    ...view.hand_sizes.map((_, seat) => seatInWords(scene, seat)),
  ];
}

function seatInWords(scene, seat) {
  const { view } = scene;
  const cards = view.hands[seat];
  const burgers = view.closed[seat].map(
    ({ cards: held, top }) => `${held.map(inWords).join(" ")} (${counted(worth(held, top), "point")})`,
  );
  const said = [
    `${seatName(scene, seat)}: ${counted(scene.frame.points[seat], "point")}`,
    `${counted(view.normal_tops[seat], "normal top")}, ${counted(view.doubling_tops[seat], "doubling top")}`,
    `burgers ${burgers.join(", ") || "none"}`,
    `penalties ${view.penalties[seat].map(inWords).join(", ") || "none"}`,
    `hand ${cards ? cards.map(inWords).join(", ") || "empty" : `${counted(view.hand_sizes[seat], "card")}, face down`}`,
  ];
  if (view.shown_flies[seat]) said.push("holds a fly");
  if (view.to_move.includes(seat)) said.push("decides now");
  return `${said.join("; ")}.`;
}
