// The scrub bar: a slider over all frames, with the key moments marked above it.

import { h, icon } from "../elements.js";
import { KINDS } from "../timeline.js";

/** Signs nearer to each other than this are drawn as one. */
const NEAREST_PX = 14;

/** @param {{go: (index: number) => void}} actions */
export function createScrubber(actions) {
  const signs = h("div", { class: "signs", "aria-hidden": "true" });
  const slider = h("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": "Step of the match",
    oninput: () => actions.go(Number(slider.value)),
  });
  let timeline = null;
  const drawSigns = () => timeline && signs.replaceChildren(...gathered(timeline, signs.clientWidth).map(drawSign));
  const drawSign = (group) => sign(group, timeline, actions);
  new ResizeObserver(drawSigns).observe(signs);
  return {
    root: h("div", { class: "scrubber" }, signs, slider),
    load(state) {
      timeline = state.timeline;
      slider.max = String(Math.max(1, timeline.last));
      slider.disabled = timeline.last < 1;
      drawSigns();
    },
    update: (state) => update(slider, state),
  };
}

/** The key moments on a bar of this width, those that would cover each other together. */
function gathered(timeline, width) {
  const groups = [];
  for (const index of timeline.moments) {
    const group = groups[groups.length - 1];
    if (group && ((index - group[0]) / timeline.last) * width < NEAREST_PX) group.push(index);
    else groups.push([index]);
  }
  return groups;
}

function sign(group, timeline, actions) {
  const importance = Object.keys(KINDS);
  const best = Math.min(...group.map((index) => importance.indexOf(timeline.kinds(index)[0])));
  const kind = importance[best];
  const index = group.find((at) => timeline.kinds(at)[0] === kind);
  const title = group.map((at) => momentTitle(timeline, at)).join("\n");
  const mark = h("button", { type: "button", tabindex: -1, class: `sign ${kind}`, title, onclick: () => actions.go(index) }, icon(kind));
  mark.style.setProperty("--at", String(index / Math.max(1, timeline.last)));
  return mark;
}

/** A key moment in words: `Step 12, steal: …`. */
function momentTitle(timeline, index) {
  const { step, text } = timeline.frames[index];
  const kinds = timeline.kinds(index).map((kind) => KINDS[kind]);
  return `Step ${step}, ${kinds.join(", ")}: ${text}`;
}

function update(slider, { timeline, index, frame }) {
  slider.value = String(index);
  slider.style.setProperty("--done", String(index / Math.max(1, timeline.last)));
  slider.setAttribute("aria-valuetext", `Step ${frame.step} of ${timeline.steps}`);
}
