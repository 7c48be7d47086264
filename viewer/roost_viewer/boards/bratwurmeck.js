/** Bratwurmeck: the grill with all tiles, the dice of the turn, and the stacks around them. */

import { counted, dieFace, html, ornament, tileBack } from "./drawing.js";
import {
  chip,
  lossTags,
  newcomers,
  nothing,
  piece,
  row,
  side,
  stackZone,
  tilePiece,
  tilesInWords,
  valueOf,
  zone,
} from "./pieces.js";
import { tableStyles } from "./style.js";
import { createTable, seatName } from "./table.js";

export const styles = tableStyles;

/** The board in `root`; see README.md. */
export function createBoard(root, frames) {
  return createTable(root, frames, GAME);
}

const GAME = {
  name: "bratwurmeck",
  around: "rows",
  middle: (scene) => [grill(scene), dice(scene)],
  seat: (scene, seat) => ({ tags: lossTags(scene, seat), zones: [stackZone(scene, seat, "tile")] }),
  did,
  points: (points) => counted(points, "worm"),
  describe,
};

function grill(scene) {
  const { view } = scene;
  const words = `grill, ${counted(view.grill.length, "tile")} open, ${view.turned.length} turned over`;
  return zone(
    "grill",
    "grill",
    view.to_move.length ? `Grill · turn ${view.turn + 1}` : "Grill",
    words,
    html("div", { class: "row tiles spots" }, spots(scene)),
  );
}

/** Every tile of the match has its spot on the grill, so that nothing jumps when one leaves. */
function spots({ view, before }) {
  const returned = newcomers(view.grill, before?.grill, valueOf);
  const turned = newcomers(view.turned, before?.turned, valueOf);
  const lying = [
    ...view.grill.map((tile, index) => [
      tile,
      tilePiece(tile, "tile", { place: "grill", index, fresh: returned.has(index) }),
    ]),
    ...view.turned.map((tile, index) => [
      tile,
      turnedPiece(tile, { place: "turned", index, fresh: turned.has(index) }),
    ]),
    ...view.stacks.flat().map((tile) => [tile, emptySpot()]),
  ];
  return lying
    .sort(([one], [other]) => one.value - other.value)
    .map(([, drawing]) => html("span", { class: "spot" }, drawing));
}

function turnedPiece({ value, worms }, where) {
  return piece(
    { ...where, card: value, name: `tile ${value}, ${counted(worms, "worm")}, turned over` },
    "tile",
    48,
    76,
    tileBack(value),
  );
}

function emptySpot() {
  const spot = ornament(48, 76, nothing(48, 79));
  spot.setAttribute("class", "tile spot-mark");
  return spot;
}

function dice(scene) {
  return html("div", { class: "dice" }, aside(scene), rolled(scene));
}

function aside({ view, before }) {
  const grown = before && before.turn === view.turn ? before.aside : null;
  const fresh = newcomers(view.aside, grown ?? view.aside);
  const pieces = view.aside.map((face, index) =>
    diePiece(face, { place: "aside", index, fresh: fresh.has(index), from: "roll" }),
  );
  return zone(
    "aside",
    "aside sided",
    null,
    `set aside, ${pieces.length ? `total ${view.total}` : "no dice"}`,
    side(view.total, "set aside"),
    pieces.length ? row(pieces, "die") : html("span", { class: "bare" }, "no dice yet"),
  );
}

function rolled({ view }) {
  const [seat] = view.to_move;
  const key = (face) => `roll ${view.turn}/${view.roll_number}|${face}`;
  const pieces = view.roll.map((face, index) =>
    diePiece(face, { place: "roll", index, key: key(face), tumbles: true }),
  );
  return zone(
    "roll",
    "rolled sided",
    null,
    seat === undefined ? "no dice on the table" : `roll ${view.roll_number + 1} of seat ${seat}`,
    seat === undefined ? html("span", {}) : side(chip(seat, true), `roll ${view.roll_number + 1}`),
    pieces.length ? row(pieces, "die") : html("span", { class: "bare" }, "the match is over"),
  );
}

function diePiece(face, where) {
  return piece(
    { ...where, card: face, name: face === "W" ? "die, worm" : `die, ${face}` },
    "die",
    60,
    60,
    dieFace(face),
  );
}

function did({ view, before }, seat, move) {
  const taken = before ? before.roll.filter((face) => face === move.take).length : 1;
  const dice = `${taken} × ${move.take === "W" ? "worm" : move.take}`;
  if (move.then === "roll")
    return view.turn === before?.turn ? `took ${dice}, rolled` : `took ${dice}, rolled and failed`;
  const gained = before && view.stacks[seat].length > before.stacks[seat].length;
  return `took ${dice}, ${gained ? `stopped: ${move.steal ? "stole" : "gets"} ${view.stacks[seat].at(-1).value}` : "stopped and failed"}`;
}

function describe(scene) {
  const { view } = scene;
  const [seat] = view.to_move;
  const turned = view.turned.map(({ value }) => value).join(", ");
  return [
    `Grill: ${tilesInWords(view.grill)}.${turned ? ` Turned over: ${turned}.` : ""}`,
    seat === undefined
      ? `The match is over after ${counted(view.turn, "turn")}.`
      : `Turn ${view.turn + 1}, ${seatName(scene, seat)}, roll ${view.roll_number + 1}: ${view.roll.join(" ")}. Set aside: ${view.aside.join(" ") || "nothing"}, total ${view.total}.`,
    ...view.stacks.map(
      (stack, number) =>
        `${seatName(scene, number)}: ${counted(scene.frame.points[number], "worm")}; stack ${tilesInWords(stack)}${number === seat ? "; decides now" : ""}.`,
    ),
  ];
}
