/**
 * What all tables have in common: seats around a middle, who decides, what was done, and things that can be clicked.
 *
 * A game gives `middle`, `seat` and `describe`; each is told the scene, which is a frame with what surrounds it.
 */

import { INK, circle, html, ornament, path, shape } from "./drawing.js";
import { isolated } from "../elements.js";
import { createMotion } from "./motion.js";
import { chip, cross, tag } from "./pieces.js";

/**
 * @typedef {object} Scene
 * @property {object} document the frames document
 * @property {object} frame the frame that is drawn
 * @property {object} view its position
 * @property {object|null} before the position before it
 * @property {boolean} over whether the match ended with this frame
 */

/**
 * @typedef {object} Game
 * @property {string} name the class of its board
 * @property {"rows"|"columns"} around where the seats are: above and below the middle, or left and right of it
 * @property {(scene: Scene) => Node[]} middle what lies in the middle
 * @property {(scene: Scene, seat: number) => {tags?: Node[], beside?: Node, zones: Node[]}} seat what lies in front of a seat,
 *   below its name and `beside` its tags
 * @property {(scene: Scene, seat: number, move: object) => string} did a move of a seat in a few words
 * @property {(points: number) => string} points points in words
 * @property {(scene: Scene) => string[]} describe the position in words
 */

/** The board of `game` in `root`, as `<roost-match>` expects it. */
export function createTable(root, frames, game) {
  const felt = html("div", { class: `felt ${game.name} around-${game.around} players-${frames.players}` });
  root.append(html("div", { class: "board" }, felt));
  const motion = createMotion(felt);
  return {
    show(frame, previous, { ms = 0 } = {}) {
      const scene = sceneOf(frames, frame, previous);
      motion.glide(() => felt.replaceChildren(...drawn(scene, game)), previous ? ms : 0);
    },
    describe(frame) {
      return game.describe(sceneOf(frames, frame, null)).join("\n");
    },
    close() {
      motion.stop();
    },
  };
}

function sceneOf(frames, frame, previous) {
  const index = frames.frames.indexOf(frame);
  const before = previous ?? frames.frames[index - 1] ?? null;
  const last = index === frames.frames.length - 1;
  return {
    document: frames,
    frame,
    view: frame.view,
    before: before && before.view,
    over: last && Boolean(frames.result),
  };
}

function drawn(scene, game) {
  const { players } = scene.view;
  const areas = game.around === "rows" ? areasInRows(players) : areasInColumns(players);
  const anchor = typeof scene.document.eye === "number" ? scene.document.eye : 0;
  const seats = areas.map((area, turn) => seatPanel(scene, game, (anchor + turn) % players, area));
  return [html("div", { class: "middle" }, game.middle(scene)), ...seats];
}

/** Where seats sit by turn, the first below the middle and then clockwise: grid areas in twelve columns. */
function areasInRows(players) {
  const below = Math.floor(players / 2);
  const above = players - below;
  const first = Math.floor((below - 1) / 2);
  return Array.from({ length: players }, (_, turn) => {
    const place = (first - turn + players) % players;
    return place < below ? area(3, place, 12 / below) : area(1, players - 1 - place, 12 / above);
  });
}

function area(row, place, width) {
  return `${row} / ${1 + place * width} / ${row + 1} / ${1 + (place + 1) * width}`;
}

/** The same to the left and to the right of the middle: grid areas in six rows. */
function areasInColumns(players) {
  const left = Math.ceil(players / 2);
  const right = players - left;
  return Array.from({ length: players }, (_, turn) => {
    const [column, place, height] = turn < left ? [1, left - 1 - turn, 6 / left] : [3, turn - left, 6 / right];
    return `${1 + place * height} / ${column} / ${1 + (place + 1) * height} / ${column + 1}`;
  });
}

function seatPanel(scene, game, seat, gridArea) {
  const { tags = [], beside = null, zones } = game.seat(scene, seat);
  const deciding = scene.view.to_move.includes(seat);
  const panel = html(
    "div",
    {
      class: `seat s${seat % 8}${deciding ? " deciding" : ""}${moved(scene, seat) ? " moved" : ""}`,
      role: "group",
      "aria-label": seatInWords(scene, game, seat),
    },
    html(
      "div",
      { class: "head" },
      chip(seat),
      nameLine(scene, game, seat),
      html("div", { class: "line" }, tagsOf(scene, game, seat, tags), beside),
    ),
    html("div", { class: "zones" }, zones),
  );
  panel.style.setProperty("--area", gridArea);
  return panel;
}

function nameLine(scene, game, seat) {
  return html(
    "div",
    { class: "line" },
    html("bdi", { class: "name", title: nameOf(scene, seat) }, nameOf(scene, seat)),
    scene.document.eye === seat ? eyeSign() : null,
    html("span", { class: "points" }, game.points(scene.frame.points[seat]).replace("-", "−")),
  );
}

function tagsOf(scene, game, seat, tags) {
  const deciding = scene.view.to_move.includes(seat) ? tag("decides", "decides", arrow()) : null;
  return html(
    "span",
    { class: "tags" },
    placeTag(scene, seat),
    deciding,
    faultTags(scene, seat),
    didTag(scene, game, seat),
    tags,
  );
}

/** A seat's name: its bot's, or its number where the arena hides that. */
export function nameOf(scene, seat) {
  return scene.document.seats[seat]?.bot || `seat ${seat}`;
}

/** `seat 2 (random)`, as the narration says it. */
export function seatName(scene, seat) {
  const { bot } = scene.document.seats[seat] ?? {};
  return bot ? `seat ${seat} (${isolated(bot)})` : `seat ${seat}`;
}

function seatInWords(scene, game, seat) {
  const said = [seatName(scene, seat), game.points(scene.frame.points[seat])];
  if (scene.view.to_move.includes(seat)) said.push("decides now");
  return said.join(", ");
}

function moved(scene, seat) {
  return scene.frame.moves.some((move) => move.seat === seat);
}

function didTag(scene, game, seat) {
  const made = scene.frame.moves.find((move) => move.seat === seat);
  const words = made && game.did(scene, seat, made.move);
  return words ? tag("did", made.fallback ? `${words} (fallback)` : words) : null;
}

function faultTags(scene, seat) {
  return scene.frame.faults
    .filter((fault) => fault.seat === seat)
    .map((fault) => tag("fault", `fault: ${fault.kind}`, cross()));
}

function placeTag(scene, seat) {
  const place = scene.over ? scene.document.result.places?.[seat] : null;
  return place ? tag("place", ordinal(place), place === 1 ? crown() : null) : null;
}

function ordinal(number) {
  return `${number}${["th", "st", "nd", "rd"][number] ?? "th"}`;
}

function arrow() {
  return ornament(10, 10, path("M1.5 1v8l7-4z", { class: "sign" }));
}

function crown() {
  return ornament(
    16,
    12,
    path("M1.5 10.5l-.5-8 4 3.5L8 1l3 5 4-3.5-.5 8z", {
      fill: "#f2b632",
      stroke: INK,
      "stroke-width": 1,
      "stroke-linejoin": "round",
    }),
  );
}

function eyeSign() {
  return shape(
    "svg",
    { viewBox: "0 0 20 14", class: "eye", role: "img", "aria-label": "you look through the eyes of this seat" },
    path("M1 7q9-11 18 0-9 11-18 0z", { class: "sign-line", fill: "none", "stroke-width": 1.6 }),
    circle(10, 7, 3, { class: "sign" }),
  );
}
