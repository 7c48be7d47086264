/**
 * The kitchen of Häc Mäc: ingredients from above on cards and from the side in burgers, buns, the fly and the hand.
 *
 * Each kind is told by its shape and its name; the colour comes on top. A kind that a host made up gets a jar.
 */

import { INK, at, cardFace, circle, label, path, rect, shape } from "./drawing.js";

const LINE = { stroke: INK, "stroke-width": 1.3, "stroke-linejoin": "round", "stroke-linecap": "round" };
const BUN = { crust: "#e0a04e", light: "#f3cf92", seed: "#fff3d6" };

/** How wide a layer is, and how high. */
export const LAYER = { width: 200, height: 26 };

/** By kind: the ground of its card, the ingredient from above (48 by 40), and from the side (200 by 26). */
const KITCHEN = {
  patty: { ground: "#f4e3d7", above: pattyAbove, beside: pattyBeside, stripe: "#7b4a2d" },
  cheese: { ground: "#fff1c9", above: cheeseAbove, beside: cheeseBeside, stripe: "#f6bd3b" },
  tomato: { ground: "#fde0da", above: tomatoAbove, beside: tomatoBeside, stripe: "#d9442f" },
  lettuce: { ground: "#e4f2d8", above: lettuceAbove, beside: lettuceBeside, stripe: "#79b548" },
  onion: { ground: "#f1e5f5", above: onionAbove, beside: onionBeside, stripe: "#cda6db" },
};
const PANTRY = { ground: "#ebe9e4", above: jarAbove, beside: jarBeside, stripe: "#9c9488" };

function kitchenOf(kind) {
  return Object.hasOwn(KITCHEN, kind) ? KITCHEN[kind] : PANTRY;
}

/** `"tomato-3"` as kind and value; a fly has no value. */
export function ingredient(card) {
  const dash = card.lastIndexOf("-");
  return dash < 0 ? { kind: card, value: 0 } : { kind: card.slice(0, dash), value: Number(card.slice(dash + 1)) };
}

/** `"tomato-3"` in words: `tomato 3`. */
export function inWords(card) {
  return card.replace("-", " ");
}

/** The face of an ingredient's card, 60 by 84. */
export function ingredientCard(card) {
  if (card === "fly") return flyCard();
  const { kind, value } = ingredient(card);
  const { ground, above } = kitchenOf(kind);
  return cardFace(
    rect(5.5, 5.5, 49, 73, 5, { fill: ground }),
    at(6, 25, 1, above()),
    label(kind, 30, 75, 11, 46, { fill: INK, "font-weight": 600 }),
    " ",
    label(value, 15, 23, 20, 20, { fill: INK }),
  );
}

function flyCard() {
  return cardFace(
    rect(5.5, 5.5, 49, 73, 5, { fill: "#dfe6ea" }),
    at(6, 16, 1.2, fly()),
    label("fly", 30, 75, 11, 46, { fill: INK, "font-weight": 600 }),
  );
}

/** An ingredient in a burger, seen from the side, 200 by 26. */
export function layer(kind) {
  return kitchenOf(kind).beside();
}

/** The colour of a kind where only a stripe of it fits. */
export function stripe(kind) {
  return kitchenOf(kind).stripe;
}

function pattyAbove() {
  return [
    shape("ellipse", { cx: 24, cy: 25, rx: 21, ry: 12.5, fill: "#5b331d", ...LINE }),
    shape("ellipse", { cx: 24, cy: 20, rx: 21, ry: 12.5, fill: "#8a5433", ...LINE }),
    path("M9 20l13-8M14 26l20-12M25 28l14-9", {
      fill: "none",
      stroke: "#4a2814",
      "stroke-width": 2.6,
      "stroke-linecap": "round",
    }),
  ];
}

function cheeseAbove() {
  return [
    path("M3 27l37-19 5 16v9H3z", { fill: "#eda92a", ...LINE }),
    path("M3 27l37-19 5 16-42 3z", { fill: "#fbd35f", ...LINE }),
    circle(14, 30.5, 2, { fill: "#c98412" }),
    circle(27, 29, 2.8, { fill: "#c98412" }),
    circle(38, 29.5, 1.8, { fill: "#c98412" }),
    shape("ellipse", { cx: 31, cy: 19, rx: 4, ry: 2.3, fill: "#e0a022" }),
  ];
}

function tomatoAbove() {
  const chambers = [20, 92, 164, 236, 308].map((turn) =>
    shape(
      "g",
      { transform: `translate(24 20) rotate(${turn})` },
      path("M4 0C5-5 13-5.5 14 0 13 5.5 5 5 4 0z", { fill: "#ffd2bf" }),
      circle(8, -1.4, 1.1, { fill: "#e8a13a" }),
      circle(10.4, 1.3, 1.1, { fill: "#e8a13a" }),
    ),
  );
  return [circle(24, 20, 19, { fill: "#c93421", ...LINE }), circle(24, 20, 16.5, { fill: "#ea5b43" }), chambers];
}

function lettuceAbove() {
  return [
    path(
      "M24 38c-6 0-9-3-12-5-5 0-8-4-7-8-4-4-2-9 2-10 0-6 6-8 10-6 3-5 11-5 14 0 4-2 10 0 10 6 4 1 6 6 2 10 1 4-2 8-7 8-3 2-6 5-12 5z",
      { fill: "#7fbb4e", ...LINE },
    ),
    path("M24 37V13M24 30l-9-6M24 30l9-6M24 22l-7-6M24 22l7-6", {
      fill: "none",
      stroke: "#dff0c2",
      "stroke-width": 2,
      "stroke-linecap": "round",
    }),
  ];
}

function onionAbove() {
  const rings = [19, 14.2, 9.4, 4.6];
  return rings.map((radius, index) =>
    circle(24, 20, radius, { fill: index % 2 ? "#fbf4fd" : "#e7d3ee", stroke: "#7d4893", "stroke-width": 1.8 }),
  );
}

function jarAbove() {
  return [
    rect(10, 10, 28, 28, 5, { fill: "#f7f5f0", ...LINE }),
    rect(12, 3, 24, 8, 2.5, { fill: "#8c857a", ...LINE }),
    rect(10, 18, 28, 13, 0, { fill: "#d8d2c6", ...LINE }),
    path("M15 22.5h18M15 26.5h12", { ...LINE, "stroke-width": 1.8 }),
  ];
}

function pattyBeside() {
  return [
    rect(7, 3, 186, 21, 10.5, { fill: "#7b4a2d", ...LINE }),
    path("M16 18.5q8 3 16 0t16 0 16 0 16 0 16 0 16 0 16 0 16 0 16 0 16 0", {
      fill: "none",
      stroke: "#52301b",
      "stroke-width": 2.2,
    }),
    path("M24 9h22M64 8h30M112 9h18M150 8h26", {
      fill: "none",
      stroke: "#a46a45",
      "stroke-width": 2.4,
      "stroke-linecap": "round",
    }),
  ];
}

function cheeseBeside() {
  return [
    path("M4 6h192v7l-22 2-16 10-18-10h-34l-20 11-22-11H34l-12 7-10-8-8-1z", { fill: "#fbc84b", ...LINE }),
    path("M8 9.5h184", { stroke: "#fde9a9", "stroke-width": 2, "stroke-linecap": "round" }),
    circle(48, 12.6, 1.7, { fill: "#d48f16" }),
    circle(120, 12.8, 1.7, { fill: "#d48f16" }),
  ];
}

function tomatoBeside() {
  const slice = (x) => [
    rect(x, 4, 90, 18, 6, { fill: "#d9442f", ...LINE }),
    rect(x + 8, 9, 74, 8, 4, { fill: "#ffb9a4" }),
    [16, 30, 45, 60, 74].map((seed) => shape("ellipse", { cx: x + seed, cy: 13, rx: 2.6, ry: 1.7, fill: "#e8a13a" })),
  ];
  return [...slice(8), ...slice(102)];
}

function lettuceBeside() {
  const frill = Array.from({ length: 12 }, (_, index) => (index % 2 ? "q8-5 16 0" : "q8-7 16 0")).join("");
  const hem = Array.from({ length: 12 }, (_, index) => (index % 2 ? "q-8 11-16 0" : "q-8 7-16 0")).join("");
  return [
    path(`M4 8${frill}q5 4 0 7${hem}q-5-4 0-7z`, { fill: "#8cc458", ...LINE }),
    path("M12 11.5q22 5 44 0t44 0 44 0 44 0", {
      fill: "none",
      stroke: "#d9efbb",
      "stroke-width": 2,
      "stroke-linecap": "round",
    }),
  ];
}

function onionBeside() {
  const ring = (x) => [
    shape("ellipse", { cx: x, cy: 13, rx: 25, ry: 9.5, fill: "#f5eaf9", ...LINE }),
    shape("ellipse", { cx: x, cy: 13, rx: 19.5, ry: 6.4, fill: "none", stroke: "#8a4fa3", "stroke-width": 2.2 }),
    shape("ellipse", { cx: x, cy: 13, rx: 12, ry: 3.2, fill: "#e2c9ec", stroke: "#8a4fa3", "stroke-width": 1.4 }),
  ];
  return [...ring(30), ...ring(170), ...ring(77), ...ring(123)];
}

function jarBeside() {
  const hatch = Array.from({ length: 18 }, (_, index) => `M${14 + index * 10} 22l8-18`).join("");
  return [
    rect(6, 4, 188, 18, 4, { fill: "#cfc8bb", ...LINE }),
    path(hatch, { stroke: "#8f8779", "stroke-width": 1.4 }),
  ];
}

/** The lower half of a bun, 200 by 34. */
export function bottomBun() {
  return [
    path("M6 4h188q4 0 4 6c0 14-10 22-26 22H28C12 32 2 24 2 10q0-6 4-6z", { fill: BUN.crust, ...LINE }),
    path("M8 8h184q2 0 2 3H6q0-3 2-3z", { fill: BUN.light }),
  ];
}

/** A top as a small sign, 40 by 28. */
export function topSign(doubling) {
  const seeds = [
    [12, 16],
    [20, 12.5],
    [28, 16],
    [8, 21.5],
    [32, 21.5],
    [20, 20],
  ];
  return [
    path("M2 26C0 26 0 23 1 21 4 12 11 7 20 7s16 5 19 14c1 2 1 5-1 5z", { fill: BUN.crust, ...LINE }),
    doubling
      ? twice(10, 9.5)
      : seeds.map(([x, y]) => shape("ellipse", { cx: x, cy: y, rx: 1.8, ry: 1.1, fill: BUN.seed })),
  ];
}

/** The spot of a doubling top that has been used, 40 by 28. */
export function usedTopSign() {
  return path("M3 26C1 26 1 23 2 21 5 12 12 8 20 8s15 4 18 13c1 2 1 5-1 5z", {
    class: "empty",
    "stroke-width": 1.6,
    "stroke-dasharray": "3.5 3",
  });
}

function twice(x, y) {
  return [
    rect(x, y, 20, 13.5, 3.5, { fill: "#1d5d8f", stroke: "#fff", "stroke-width": 1 }),
    label("×2", x + 10, y + 10.7, 11, 18, { fill: "#fff" }),
  ];
}

/** A bottom as a small sign, 40 by 16. */
export function bottomSign() {
  return [
    path("M2 2h36q1 0 1 2c0 6-3 10-9 10H10C4 14 1 10 1 4q0-2 1-2z", { fill: BUN.crust, ...LINE }),
    path("M3 4h34", { stroke: BUN.light, "stroke-width": 2 }),
  ];
}

/** A fly from above, 40 by 40. */
export function fly() {
  const wing = { fill: "#f4fbff", "fill-opacity": 0.85, stroke: "#44535c", "stroke-width": 1.2 };
  return [
    path("M12 16l-7-4M11 22H3M13 28l-7 5M28 16l7-4M29 22h8M27 28l7 5", {
      fill: "none",
      stroke: INK,
      "stroke-width": 1.6,
      "stroke-linecap": "round",
    }),
    shape("ellipse", { cx: 20, cy: 24, rx: 7.5, ry: 10.5, fill: "#52626c", stroke: INK, "stroke-width": 1.2 }),
    path("M14 23q6 3 12 0M13.5 28q6.5 3 13 0", { fill: "none", stroke: "#8da0ab", "stroke-width": 1.4 }),
    shape("ellipse", { cx: 11, cy: 26, rx: 5, ry: 10, transform: "rotate(28 11 26)", ...wing }),
    shape("ellipse", { cx: 29, cy: 26, rx: 5, ry: 10, transform: "rotate(-28 29 26)", ...wing }),
    circle(20, 12, 5, { fill: "#52626c", stroke: INK, "stroke-width": 1.2 }),
    circle(16.5, 10.5, 2.9, { fill: "#c93d2b", stroke: INK, "stroke-width": 0.9 }),
    circle(23.5, 10.5, 2.9, { fill: "#c93d2b", stroke: INK, "stroke-width": 0.9 }),
  ];
}

/** The hand that slaps, 32 by 32. */
export function slapHand() {
  return [
    path(
      "M9 31c-3-5-7-9-7-13 0-3 3-3 4-1l3 4V6c0-3 4-3 4 0v8-11c0-3 4-3 4 0v11-9c0-3 4-3 4 0v10-6c0-3 4-3 4 0v12c0 5-2 7-3 10z",
      { fill: "#f7cda6", ...LINE, "stroke-width": 1.5 },
    ),
    path("M27 4l3-2M28 9h3M3 10L1 8", {
      fill: "none",
      class: "sign-line",
      "stroke-width": 2,
      "stroke-linecap": "round",
    }),
  ];
}

/** The glass of a player who suspects, 32 by 32. */
export function glass() {
  return [
    path("M20 20l9 9", { stroke: "#7a4f22", "stroke-width": 5, "stroke-linecap": "round" }),
    circle(13, 13, 10, { fill: "#e8f4fb", ...LINE, "stroke-width": 2.4 }),
    label("?", 13, 18.5, 16, 16, { fill: INK }),
  ];
}

/** A closed or spoiled burger as a small picture, 60 wide: a stripe per ingredient, handed to `mark` with its place. */
export function smallBurger(cards, top, mark) {
  const height = smallBurgerHeight(cards.length);
  const stripes = cards.map((card, index) => {
    const { kind } = ingredient(card);
    return mark(index, smallLayer(kind, height - 13 - (index + 1) * 6));
  });
  return [
    path(`M3 ${height - 12}h54q1 0 1 2c0 5-4 8-10 8H12C6 ${height - 2} 2 ${height - 5} 2 ${height - 10}q0-2 1-2z`, {
      fill: BUN.crust,
      ...LINE,
    }),
    stripes,
    top === "fly"
      ? at(18, -2, 0.6, fly())
      : [
          path("M3 20C1 20 1 17 2 15 7 6 17 2 30 2s23 4 28 13c1 2 1 5-1 5z", { fill: BUN.crust, ...LINE }),
          top === "double"
            ? twice(20, 4.5)
            : [
                [20, 11],
                [30, 8],
                [40, 11],
                [14, 16],
                [46, 16],
                [30, 15],
              ].map(([x, y]) => shape("ellipse", { cx: x, cy: y, rx: 2, ry: 1.2, fill: BUN.seed })),
        ],
  ];
}

/** How high a small burger is. */
export function smallBurgerHeight(layers) {
  return 36 + layers * 6;
}

/** A layer of a small burger: wavy, pointed, halved, ringed or plain, as its large drawing is. */
function smallLayer(kind, y) {
  const line = { stroke: INK, "stroke-width": 0.8, "stroke-linejoin": "round" };
  const fill = stripe(kind);
  const shapes = {
    patty: () => rect(4, y + 0.4, 52, 5.4, 2.7, { fill, ...line }),
    cheese: () => path(`M2 ${y + 0.8}h56v2l-8 3-9-3h-8l-7 4-8-4H2z`, { fill, ...line }),
    tomato: () => [
      rect(4, y + 0.8, 25, 4.8, 1.8, { fill, ...line }),
      rect(31, y + 0.8, 25, 4.8, 1.8, { fill, ...line }),
    ],
    lettuce: () =>
      path(`M1 ${y + 2}q4-3 7 0t7 0 7 0 7 0 7 0 7 0 7 0 7 0v2q-4 3-7 0t-7 0-7 0-7 0-7 0-7 0-7 0-7 0z`, {
        fill,
        ...line,
      }),
    onion: () => [12, 30, 48].map((x) => shape("ellipse", { cx: x, cy: y + 3.2, rx: 9.4, ry: 2.6, fill, ...line })),
  };
  return (
    Object.hasOwn(shapes, kind)
      ? shapes[kind]
      : () => path(`M4 ${y + 1}h52v4.6H4zM10 ${y + 5}l4-4M24 ${y + 5}l4-4M38 ${y + 5}l4-4`, { fill, ...line })
  )();
}
