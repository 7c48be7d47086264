// Where a card, portion, tile or die was before and goes next. Things of one name have no number, so a thing is known
// by its name, the list it is in (`place`, a path into the view), and which of its like it is there, the oldest first.

const WORDS = {
  hands: "hand",
  displays: "display",
  stacks: "stack",
  grill: "grill",
  discard: "discard pile",
  turned: "turned over",
  roll: "roll",
  aside: "set aside",
  burger: "burger",
  closed: "closed burger",
  penalties: "penalties",
  spoiled: "spoiled burger",
};

/** A place in words: `display of seat 1`. */
export function placeName(place) {
  const [list, seat] = place.split("/");
  const words = WORDS[list] ?? list;
  return seat === undefined || list === "spoiled" ? words : `${words} of seat ${seat}`;
}

const nameOf = (thing) => (thing !== null && typeof thing === "object" ? String(thing.value) : String(thing));
const isThing = (thing) => typeof thing === "string" || typeof thing?.value === "number";

/** How often `card` is at `place` in `frame`; 0 if the eye does not see that place. */
function count(frame, place, card) {
  const list = place.split("/").reduce((value, key) => value?.[key], frame.view);
  return Array.isArray(list) ? list.filter((thing) => nameOf(thing) === card).length : 0;
}

/** All places in a view that hold things. */
function places(value, path = []) {
  if (Array.isArray(value) && value.some(isThing)) return [path.join("/")];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]));
}

/** The frame at which the thing came to its place: the latest before which there were too few of its like. */
function arrival(frames, index, place, card, copy) {
  let at = index;
  while (at > 0 && count(frames[at - 1], place, card) > copy) at -= 1;
  return at;
}

/** The frame at which the thing is gone from its place; `null` if it stays. */
function departure(frames, index, place, card, copy) {
  for (let at = index + 1; at < frames.length; at += 1) if (count(frames[at], place, card) <= copy) return at;
  return null;
}

/** The place with one `card` fewer in `after` than in `before`, if there is one. */
function loser(before, after, card) {
  return places(before.view).find((place) => count(before, place, card) > count(after, place, card)) ?? null;
}

/**
 * The stations of a thing, the earliest first: where it was, and the frame at which it came there.
 * @returns {{index: number, place: string, here: boolean}[]}
 */
export function trail(frames, index, place, card, copy) {
  const here = { index: arrival(frames, index, place, card, copy), place, here: true };
  return [...earlier(frames, here, card), here, ...later(frames, index, place, card, copy)];
}

function earlier(frames, station, card) {
  const { index } = station;
  if (index === 0) return [];
  const place = loser(frames[index - 1], frames[index], card);
  if (place === null) return [];
  const copy = count(frames[index - 1], place, card) - 1;
  const before = { index: arrival(frames, index - 1, place, card, copy), place, here: false };
  return [...earlier(frames, before, card), before];
}

function later(frames, index, place, card, copy) {
  const left = departure(frames, index, place, card, copy);
  if (left === null) return [];
  const next = loser(frames[left], frames[left - 1], card);
  if (next === null) return [];
  const station = { index: left, place: next, here: false };
  return [station, ...later(frames, left, next, card, count(frames[left], next, card) - 1)];
}
