// Making DOM nodes: elements, icons, and the words of the narration with their roles. Text is always set as text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. `on…` attributes are listeners; `true` sets an attribute without a value; `false`, `null` and
 * `undefined` leave it out.
 */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element, made like `h` makes an HTML one. */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** The lines of icons in a box of 24 by 24. */
const ICONS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  back: "M15 5l-8 7 8 7",
  forward: "M9 5l8 7-8 7",
  turnBack: "M12 5l-7 7 7 7M20 5l-7 7 7 7",
  turnForward: "M12 5l7 7-7 7M4 5l7 7-7 7",
  play: "M8 5l11 7-11 7z",
  pause: "M9 5v14M15 5v14",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  help: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 17.5v.01",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  undo: "M9 14l-5-5 5-5M4 9h10a6 6 0 0 1 0 12h-3",
  good: "M5 12.5l4.5 4.5L19 7.5",
  bad: "M6 6l12 12M18 6L6 18",
  open: "M5 12h14",
  forfeit: "M5 21V4h13l-3 4.5 3 4.5H5",
  fault: "M12 3v11M12 19.5v.5",
  steal: "M4 8h14l-4-4M20 16H6l4 4",
  suspicion: "M7 8a5 5 0 1 1 7 4.5c-1.5.8-2 1.5-2 3M12 20.5v.01",
  slap: "M7 13V7a1.5 1.5 0 0 1 3 0v-2a1.5 1.5 0 0 1 3 0v2a1.5 1.5 0 0 1 3 0v3a1.5 1.5 0 0 1 3 0v5a6 6 0 0 1-6 6h-1c-4 0-5-3-8-7 0-2 2-2 3-1z",
  spoiled: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM6 6l12 12",
  closed: "M4 11a8 6 0 0 1 16 0zM4 15h16M5 19h14",
  lead: "M4 18h16M4 15l-1-8 5 4 4-6 4 6 5-4-1 8z",
  swing: "M8 20V5L4 9M16 4v15l4-4",
  worm: "M2 15c3-7 6-7 8-2s5 5 7 0 3-5 5-4",
};

/** An icon; only decoration, so the control around it needs a name. */
export function icon(name) {
  const drawing = s("path", { d: ICONS[name] });
  return s("svg", { viewBox: "0 0 24 24", class: `icon icon-${name}`, "aria-hidden": "true", focusable: "false" }, drawing);
}

/** A button with an icon and a name, which is also its tool tip. */
export function iconButton(name, label, onclick, attributes = {}) {
  return h("button", { type: "button", class: "tool", title: label, "aria-label": label, onclick, ...attributes }, icon(name));
}

/** A piece of narration. Its role is a class, and more than a colour to the eye. */
function span({ text, role = "plain", number = null }) {
  if (role === "plain") return document.createTextNode(text);
  if (role === "worm" && /^~+$/.test(text)) return worms(text.length);
  const colour = number === null ? "" : ` n${number % 8}`;
  return h("span", { class: `role-${role}${colour}` }, role === "seat" ? seatWords(text) : text);
}

/** `seat 2 (random)` with the name isolated, so that its letters do not turn the brackets around it. */
function seatWords(text) {
  const [, before, name, after] = /^(seat \d+ \()(.*)(\))$/s.exec(text) ?? [];
  return name === undefined ? [text] : [before, h("bdi", {}, name), after];
}

/** Worms as drawings, which the narration writes as waves. */
function worms(number) {
  const drawings = Array.from({ length: number }, () => icon("worm"));
  return h("span", { class: "role-worm worms" }, h("span", { class: "unseen" }, ` (${counted(number, "worm")})`), drawings);
}

/** The narration of one frame, a block per line. */
export function narration(frame) {
  return (frame.lines ?? []).map((line) =>
    h("span", { class: line.follows ? "line follows" : "line" }, (line.words ?? []).map(span)),
  );
}

/** A bot's name, isolated from the direction of the text around it. */
export function botName(seat, number) {
  return h("bdi", { class: "bot" }, seat?.bot || `seat ${number}`);
}

const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name within plain text, which it must not turn: marks of direction are left out, other letters kept apart. */
export function isolated(name) {
  const plain = name.replace(DIRECTION_MARKS, "");
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** `1 step`, `2 steps`. */
export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** A time as people say it: `0.4 ms`, `35 ms`, `1.2 s`. */
export function duration(ms) {
  if (ms < 1) return ms < 0.1 ? "< 0.1 ms" : `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10000 ? 1 : 0)} s`;
}
