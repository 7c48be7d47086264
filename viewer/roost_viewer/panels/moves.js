// The list of moves in words, and the list of key moments. Both are links to steps.

import { duration, h, icon, narration } from "../elements.js";
import { thinkingTime } from "../playback.js";
import { KINDS } from "../timeline.js";

/** The list of all moves. */
export const createMoves = (actions) => createList(actions, "Moves", "No moves yet.", () => true);

/** The list of key moments. */
export function createMoments(actions) {
  const matters = ({ timeline }, index) => timeline.kinds(index).length > 0;
  return createList(actions, "Key moments", "Nothing out of the ordinary has happened.", matters);
}

/** A list of the frames that `belongs` chooses, with the current one marked. */
function createList(actions, label, nothing, belongs) {
  const list = h("ol", { class: "moves", "aria-label": label });
  const empty = h("p", { class: "soft" }, nothing);
  const root = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, empty, list);
  let rows = new Map();
  let current = null;
  let scrolling = false;

  /** Makes the rows that changed: all of another match, the new ones of a match that grew. */
  function load(state) {
    const fresh = new Map();
    const items = [];
    let round = null;
    for (let index = 0; index <= state.timeline.last; index += 1) {
      if (!belongs(state, index)) continue;
      const frame = state.timeline.frames[index];
      if (decidedIn(state, index) !== round) items.push(heading(decidedIn(state, index)));
      round = decidedIn(state, index);
      const kept = rows.get(frame);
      fresh.set(frame, kept ?? moveRow(state, index, actions));
      items.push(fresh.get(frame));
    }
    rows = fresh;
    list.replaceChildren(...items);
    empty.hidden = rows.size > 0;
  }

  function update({ frame }) {
    if (root.closest("[hidden]")) return;
    const row = rows.get(frame) ?? null;
    if (row === current) return;
    current?.firstChild.removeAttribute("aria-current");
    row?.firstChild.setAttribute("aria-current", "step");
    current = row;
    if (!scrolling) requestAnimationFrame(scroll);
    scrolling = true;
  }

  /** Once per picture, however many steps were made since the last one. */
  function scroll() {
    scrolling = false;
    if (current) scrollTo(root, current);
  }

  return { root, load, update };
}

/** The round in which a decision was made: that of the position before it. */
const decidedIn = ({ timeline }, index) => timeline.frames[Math.max(0, index - 1)].round;
const heading = (round) => h("li", { class: "heading" }, `Round ${round}`);

/** Scrolls only the list, never the page under the reader's eyes. */
function scrollTo(root, row) {
  const above = row.offsetTop;
  if (above < root.scrollTop || above + row.offsetHeight > root.scrollTop + root.clientHeight) {
    root.scrollTop = above - root.clientHeight / 3;
  }
}

function moveRow({ timeline }, index, actions) {
  const frame = timeline.frames[index];
  const ms = thinkingTime(frame);
  const kinds = timeline.kinds(index);
  const badges = kinds.length ? h("span", { class: "badges" }, kinds.map((kind) => badge(kind, frame))) : null;
  const link = actions.stepLink(
    frame.step,
    h("span", { class: "number" }, String(frame.step)),
    h("span", { class: "said" }, narration(frame), faultDetails(frame), badges),
    h("span", { class: "ms" }, ms === null ? "" : duration(ms)),
  );
  return h("li", {}, link);
}

/** What a bot sent instead of a move, where it is known. */
function faultDetails({ faults }) {
  const known = (faults ?? []).filter(({ detail }) => detail);
  return known.map(({ detail }) => h("span", { class: "line follows" }, "It sent ", h("code", {}, h("bdi", {}, detail))));
}

function badge(kind, { swing }) {
  const cost = kind === "swing" && swing ? `, cost ${Math.round(100 * swing)} %` : "";
  return h("span", { class: `badge ${kind}` }, icon(kind), KINDS[kind] + cost);
}
