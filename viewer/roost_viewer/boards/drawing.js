/**
 * What every table is drawn with: elements, cards, worms, hens, tiles and dice.
 *
 * Everything is built through the DOM, so no text of a stranger is ever read as markup. Colours that follow day and
 * night are classes of boards.css; the printed colours of a piece stand here.
 */

const SVG = "http://www.w3.org/2000/svg";

/** Printed colours. Each pair of ink and ground has a contrast of at least 4.5 to 1. */
export const INK = "#2b211a";
const WORM = { body: "#f2a08d", ring: "#d9705c", line: "#7d3328" };
const WOOD = { plank: "#e9c38f", line: "#7a4f22", post: "#a9743b" };
const NUMBER_INKS = ["#1a5f91", "#2a6b33", "#8a4b08", "#6b3fa8", "#0b6560"];
const NUMBER_GROUNDS = ["#e2eff8", "#e6f3e0", "#fdeecf", "#efe6fa", "#dcf2ef"];

/** An HTML element with attributes and children; `null` children are left out. */
export function html(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element with attributes and children. */
export function shape(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** A drawing with an accessible name. Its parts are hidden from readers, as those of an image are. */
export function picture(name, width, height, ...parts) {
  return shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name }, ...parts);
}

/** A drawing that says nothing that is not said in words beside it. */
export function ornament(width, height, ...parts) {
  return shape("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" }, ...parts);
}

/** `parts` moved to (x, y), scaled, and turned by some degrees. */
export function at(x, y, scale, parts, turn = 0) {
  const turned = turn ? ` rotate(${turn})` : "";
  return shape("g", { transform: `translate(${x} ${y}) scale(${scale})${turned}` }, parts);
}

export function rect(x, y, width, height, radius, attributes = {}) {
  return shape("rect", { x, y, width, height, rx: radius, ...attributes });
}

export function circle(cx, cy, r, attributes = {}) {
  return shape("circle", { cx, cy, r, ...attributes });
}

export function path(d, attributes = {}) {
  return shape("path", { d, ...attributes });
}

/**
 * Text centred on (x, y), squeezed so that it is no wider than `most`.
 *
 * Put the texts of a piece in the order of its name, each once: people who speak to their browser say what they see.
 */
export function label(text, x, y, size, most, attributes = {}) {
  const shown = String(text);
  const wide = shown.length * size * 0.58 > most;
  return shape(
    "text",
    {
      x,
      y,
      "font-size": size,
      "text-anchor": "middle",
      class: "printed",
      textLength: wide ? most : null,
      lengthAdjust: wide ? "spacingAndGlyphs" : null,
      ...attributes,
    },
    shown,
  );
}

/** A worm in a box of 24 by 16. */
export function worm() {
  const body = "M3 12.6C3.4 6.2 8 4.4 10.2 8.2S14.6 14 17 9.6 18.6 5.2 19.4 4.6";
  const round = { fill: "none", "stroke-linecap": "round", "stroke-linejoin": "round" };
  return shape(
    "g",
    {},
    path(body, { ...round, stroke: WORM.line, "stroke-width": 5.6 }),
    path(body, { ...round, stroke: WORM.body, "stroke-width": 4.2 }),
    path(body, {
      fill: "none",
      stroke: WORM.ring,
      "stroke-width": 4.2,
      "stroke-dasharray": "0 3.2 .8 2.2 .8 2.2 .8 2.2 .8 2.2 .8 2.2 .8 20",
    }),
    circle(19.6, 4.5, 3.3, { fill: WORM.body, stroke: WORM.line, "stroke-width": 0.7 }),
    circle(19, 3.8, 1.15, { fill: "#fff" }),
    circle(19.3, 3.9, 0.62, { fill: INK }),
    circle(21.6, 3.8, 0.85, { fill: "#fff" }),
    circle(21.75, 3.9, 0.5, { fill: INK }),
    path("M19.3 6.2q1.2.9 2.2 0", { fill: "none", stroke: WORM.line, "stroke-width": 0.6, "stroke-linecap": "round" }),
  );
}

/** A hen's head in a box of 40 by 40. */
export function hen(comb = "#d2452d", feathers = "#fffaf0") {
  const line = { stroke: INK, "stroke-width": 1.4, "stroke-linejoin": "round" };
  return shape(
    "g",
    {},
    path("M13 14c-4-3-2-8 1-7 0-4 5-5 6-2 2-3 6-1 5 2 4-1 4 5 1 7z", { fill: comb, ...line }),
    path("M8 38c0-6 2-8 2-14 0-8 4-13 10-13s10 5 10 12 2 9 2 15z", { fill: feathers, ...line }),
    path("M28 20l8 3.4-8 3.4z", { fill: "#f2a31b", ...line }),
    path("M27 27.5c3 .5 3 6 .4 6s-3-4.5-.4-6z", { fill: comb, ...line, "stroke-width": 1.1 }),
    circle(23.4, 20, 2.5, { fill: "#fff", stroke: INK, "stroke-width": 1 }),
    circle(24, 20.2, 1.25, { fill: INK }),
  );
}

/** The empty face of a card of 60 by 84. */
export function cardFace(...parts) {
  return [rect(1, 1, 58, 82, 8, { class: "paper", "stroke-width": 1.6 }), ...parts];
}

/** The large numerals of the number cards, in a box of 26 by 36. */
const NUMERALS = [
  "M7 9l8-6v30",
  "M4 11C4-1 22 0 22 11 22 19 9 25 4 33h19",
  "M4 3h17l-9 12c13-1 13 18 0 18-5 0-8-2-9-6",
  "M18 33V3L3 24h21",
  "M21 3H8L6 16c7-4 17-2 16 8-1 11-16 11-19 3",
];

/** Number cards of Karteneck, 1 to 5: the number, and that many eggs. */
export function numberCard(number) {
  const ink = NUMBER_INKS[number - 1];
  return cardFace(
    rect(5.5, 5.5, 49, 73, 5, { fill: NUMBER_GROUNDS[number - 1] }),
    label(number, 13.5, 21.5, 17, 14, { fill: ink }),
    at(
      20,
      24,
      0.86,
      path(NUMERALS[number - 1], {
        fill: "none",
        stroke: ink,
        "stroke-width": 6.4,
        "stroke-linecap": "round",
        "stroke-linejoin": "round",
      }),
    ),
    row(number, 30, 9).map((x) => egg(x, 67.5)),
  );
}

/** `count` places beside each other around `middle`. */
function row(count, middle, step) {
  return Array.from({ length: count }, (_, index) => middle + (index - (count - 1) / 2) * step);
}

function egg(x, y) {
  return path(`M${x} ${y - 5.4}c2.6 0 3.9 3.6 3.9 5.9a3.9 3.9 0 0 1-7.8 0c0-2.3 1.3-5.9 3.9-5.9z`, {
    fill: "#fffdf7",
    stroke: INK,
    "stroke-width": 0.9,
  });
}

/** A worm card: a signpost with its number, and the worm that looks around its post. */
export function wormCard(signpost) {
  const line = { stroke: WOOD.line, "stroke-width": 1.3, "stroke-linejoin": "round" };
  return cardFace(
    rect(5.5, 5.5, 49, 73, 5, { fill: "#fde6dc" }),
    path("M5.5 69q12-6 24.5-3t24.5-2v9.5a5 5 0 0 1-5 5h-39a5 5 0 0 1-5-5z", { fill: "#b9d59a" }),
    rect(26.5, 14, 6, 60, 1.5, { fill: WOOD.post, ...line }),
    path("M4 9.5h43l8 8.5-8 8.5h-43z", { fill: WOOD.plank, ...line }),
    label(signpost, 22, 24, 17, 32, { fill: "#4a2c0d" }),
    at(6, 38, 1.95, worm()),
  );
}

/** The back of a card. */
export function cardBack() {
  return [
    rect(1, 1, 58, 82, 8, { class: "back", "stroke-width": 1.6 }),
    rect(6, 6, 48, 72, 5, { class: "back-frame", "stroke-width": 1.2, "stroke-dasharray": "3 2.4" }),
    at(11, 22, 0.96, hen()),
  ];
}

/** A card of a kind that nobody has drawn yet: its text. */
export function plainCard(text) {
  return cardFace(rect(5.5, 5.5, 49, 73, 5, { fill: "#efece6" }), label(text, 30, 46, 16, 44, { fill: INK }));
}

/** A tile or portion of 48 by 76: its value, and its worms. */
export function tileFace(value, worms) {
  return [
    rect(1, 3.5, 46, 71.5, 8, { class: "tile-edge" }),
    rect(1, 1, 46, 70, 8, { class: "tile-face", "stroke-width": 1.4 }),
    label(value, 24, 26.5, 25, 40, { fill: INK }),
    path("M7 34h34", {
      stroke: "#c9b592",
      "stroke-width": 1.4,
      "stroke-dasharray": "1 2.6",
      "stroke-linecap": "round",
    }),
    ...wormsOf(worms),
  ];
}

function wormsOf(worms) {
  if (worms === 0) return [plate()];
  const places = {
    1: [[7, 43, 1.42]],
    2: [
      [9.5, 36.5, 1.15],
      [12.5, 53, 1.15],
    ],
    3: [
      [12, 35.5, 0.86],
      [5, 49, 0.86],
      [22, 56, 0.86],
    ],
    4: [
      [4.5, 37.5, 0.8],
      [24, 40, 0.8],
      [4.5, 54, 0.8],
      [24, 56.5, 0.8],
    ],
  }[worms];
  if (places) return places.map(([x, y, scale]) => at(x, y, scale, worm()));
  return [at(10, 35, 1.15, worm()), " ", label(`×${worms}`, 24, 67, 15, 40, { fill: WORM.line })];
}

function plate() {
  return shape(
    "g",
    { fill: "#fff", stroke: "#8d7a5c", "stroke-width": 1.3 },
    shape("ellipse", { cx: 24, cy: 53, rx: 16, ry: 9 }),
    shape("ellipse", { cx: 24, cy: 52.4, rx: 9.5, ry: 4.8 }),
  );
}

/** A tile under the top of a stack, 48 by 58: its value, and a stroke for each worm. */
export function smallTile(value, worms) {
  return [
    rect(1, 3, 46, 54, 9, { class: "tile-edge" }),
    rect(1, 1, 46, 52, 9, { class: "tile-face", "stroke-width": 1.6 }),
    label(value, 24, 32, 29, 40, { fill: INK }),
    worms > 4
      ? [" ", label(`×${worms}`, 24, 49, 15, 40, { fill: WORM.line })]
      : row(worms, 24, 10).map((x) =>
          rect(x - 3.5, 38, 7, 11, 3.5, { fill: WORM.body, stroke: WORM.line, "stroke-width": 1.8 }),
        ),
  ];
}

/** The back of a tile: out of the game, or not yet seen. */
export function tileBack(value = null) {
  return [
    rect(1, 3.5, 46, 71.5, 8, { class: "tile-edge" }),
    rect(1, 1, 46, 70, 8, { class: "tile-back", "stroke-width": 1.4 }),
    value === null
      ? at(7.5, 20, 0.82, hen())
      : [
          label(value, 24, 27, 17, 38, { class: "printed tile-back-ink" }),
          path("M13 41l22 20M35 41l-22 20", { class: "tile-back-cross", "stroke-width": 3, "stroke-linecap": "round" }),
        ],
  ];
}

const PIPS = {
  1: [[30, 28]],
  2: [
    [18, 40],
    [42, 16],
  ],
  3: [
    [17, 41],
    [30, 28],
    [43, 15],
  ],
  4: [
    [18, 16],
    [42, 16],
    [18, 40],
    [42, 40],
  ],
  5: [
    [17, 15],
    [43, 15],
    [30, 28],
    [17, 41],
    [43, 41],
  ],
};

/** A die of 60 by 60 that shows `face`: "1" to "5", or "W" for the worm. */
export function dieFace(face) {
  const pips = PIPS[face];
  return [
    rect(2, 5, 56, 54, 13, { class: "die-edge" }),
    rect(2, 1, 56, 54, 13, { class: "die-face", "stroke-width": 1.6 }),
    face === "W" ? at(7.5, 12.5, 1.9, worm()) : null,
    pips ? pips.map(([x, y]) => circle(x, y, 5.3, { fill: INK })) : null,
    !pips && face !== "W" ? label(face, 30, 38, 26, 48, { fill: INK }) : null,
  ];
}

/** "1 worm", "3 worms". */
export function counted(count, thing, things = `${thing}s`) {
  return `${count} ${count === 1 ? thing : things}`;
}
