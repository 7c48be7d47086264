// Points over time, and the time of each decision as bars. A click goes to the step.

import { botName, duration, h, s } from "../elements.js";

const WIDTH = 1000;
const HEIGHT = 100;
/** Room above the highest and below the lowest line. */
const MARGIN = 6;

export function createCharts(actions) {
  const points = h("div", {});
  const times = h("div", {});
  const root = h(
    "div",
    { class: "scroll charts", tabindex: 0, role: "region", "aria-label": "Charts" },
    h("section", {}, h("p", { class: "title" }, "Points over time"), points),
    h("section", {}, h("p", { class: "title" }, "Time per decision"), times),
  );
  let drawn = null;
  return {
    root,
    load() {
      drawn = null;
    },
    /** Draws only while it is seen, since a live match may grow many times a second. */
    update(state) {
      if (root.closest("[hidden]")) return;
      if (drawn !== state.timeline.last) {
        points.replaceChildren(...drawPoints(state, actions));
        times.replaceChildren(...drawTimes(state, actions));
        drawn = state.timeline.last;
      }
      for (const cursor of root.querySelectorAll(".cursor")) placeCursor(cursor, state);
    },
  };
}

const across = (index, last) => (index / Math.max(1, last)) * WIDTH;

function placeCursor(cursor, { index, timeline }) {
  const x = across(index, timeline.last);
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
}

/** A picture that goes to the step under a click. */
function picture(timeline, label, actions, drawings) {
  const go = (event) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    actions.go(Math.round(((event.clientX - left) / width) * timeline.last));
  };
  const cursor = s("line", { class: "cursor", y1: 0, y2: HEIGHT, x1: 0, x2: 0 });
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" };
  return s("svg", { ...box, role: "img", "aria-label": label, onclick: go }, drawings, cursor);
}

function drawPoints({ timeline, document }, actions) {
  const all = timeline.frames.flatMap((frame) => frame.points);
  const [low, high] = [Math.min(0, ...all), Math.max(1, ...all)];
  const scale = (value) => HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
  const zero = s("line", { class: "zero", x1: 0, x2: WIDTH, y1: scale(0), y2: scale(0) });
  const lines = document.seats.map((_, seat) => pointsLine(timeline, seat, scale));
  const last = timeline.frames[timeline.last].points;
  const label = `Points over time. At the last step: ${last.map((value, seat) => `seat ${seat} ${value}`).join(", ")}.`;
  const axis = h("div", { class: "scale", "aria-hidden": "true" }, h("span", {}, String(high)), h("span", {}, String(low)));
  return [
    h("div", { class: "chart points" }, axis, picture(timeline, label, actions, [zero, ...lines])),
    h("ul", { class: "legend" }, document.seats.map((seat, number) => legend(seat, number, last[number]))),
  ];
}

function pointsLine({ frames, last }, seat, scale) {
  const corners = frames.map((frame, index) => {
    const [x, y] = [across(index, last).toFixed(1), scale(frame.points[seat]).toFixed(1)];
    return index ? `H${x}V${y}` : `M${x} ${y}`;
  });
  return s("path", { class: `curve n${seat}`, d: corners.join("") });
}

/** A seat beside a piece of its line, which has a colour and a pattern of its own. */
function legend(seat, number, points) {
  const line = s("path", { class: `curve n${number}`, d: "M0 3H36" });
  const sample = s("svg", { class: "sample", viewBox: "0 0 36 6", "aria-hidden": "true" }, line);
  return h("li", {}, sample, h("span", { class: "soft" }, String(number)), botName(seat, number), h("b", {}, String(points)));
}

function drawTimes({ timeline, document }, actions) {
  const decisions = timeline.frames.flatMap(timedDecisions);
  if (!decisions.length) return [h("p", { class: "soft" }, "The record has no thinking times.")];
  const most = Math.max(...decisions.map(({ ms }) => ms));
  return document.seats.map((seat, number) => {
    const own = decisions.filter((decision) => decision.seat === number);
    return lane(timeline, seat, number, own, most, actions);
  });
}

function timedDecisions(frame, index) {
  const timed = frame.moves.filter(({ ms }) => typeof ms === "number");
  return timed.map(({ seat, ms, fallback }) => ({ index, seat, ms, fallback, step: frame.step }));
}

/** The bars of one seat. All seats have the same scale. */
function lane(timeline, seat, number, decisions, most, actions) {
  const label = `Time per decision of seat ${number}: ${summary(decisions)}.`;
  const badge = h("span", { class: `seat-number n${number}` }, String(number));
  const bars = decisions.map((decision) => bar(decision, timeline.last, most));
  return h(
    "div",
    { class: "lane" },
    h("p", {}, badge, botName(seat, number), longestLink(decisions, actions)),
    h("div", { class: "chart times" }, picture(timeline, label, actions, bars)),
  );
}

function bar({ index, seat, ms, fallback }, last, most) {
  const width = Math.max(3, (WIDTH / (last + 1)) * 0.8);
  const height = Math.max(2, (ms / most) * HEIGHT);
  const box = { x: across(index, last) - width / 2, width, y: HEIGHT - height, height };
  return s("rect", { class: fallback ? "time fallback" : `time n${seat}`, ...box });
}

const longestOf = (decisions) => decisions.reduce((best, one) => (one.ms > best.ms ? one : best));
const inAll = (decisions) => duration(decisions.reduce((sum, { ms }) => sum + ms, 0));

function summary(decisions) {
  if (!decisions.length) return "none known";
  const { ms, step } = longestOf(decisions);
  return `${inAll(decisions)} in all, ${duration(ms)} at most, at step ${step}`;
}

function longestLink(decisions, actions) {
  if (!decisions.length) return null;
  const { ms, step } = longestOf(decisions);
  const link = actions.stepLink(step, `${duration(ms)} at step ${step}`);
  return h("span", { class: "soft" }, `${inAll(decisions)} in all, longest `, link);
}
