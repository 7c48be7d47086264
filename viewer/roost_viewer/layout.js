// The parts of the viewer, made once and put together.

import { Comparison } from "./comparison.js";
import { createBar } from "./controls/bar.js";
import { createHelp } from "./controls/keyboard.js";
import { createScrubber } from "./controls/scrubber.js";
import { createTrail } from "./controls/trail.js";
import { counted, h, narration } from "./elements.js";
import { createHead, matchName } from "./head.js";
import { createCharts } from "./panels/charts.js";
import { createDeal } from "./panels/deal.js";
import { createMoments, createMoves } from "./panels/moves.js";
import { createPosition, createTabs } from "./panels/tabs.js";
import { Stage } from "./stage.js";

/**
 * @param {object} actions what the parts can ask the element for
 * @param {string} version a line about the viewer, for its help
 */
export function createLayout(actions, version) {
  const stage = new Stage(actions.point);
  const comparison = new Comparison(actions);
  const head = createHead(actions);
  const trail = createTrail(actions);
  const caption = createCaption();
  const scrubber = createScrubber(actions);
  const bar = createBar(actions);
  const tabs = createTabs(panels(actions), actions.refresh);
  const help = createHelp(version);
  const message = h("div", { class: "message", role: "status" });
  const dock = h("div", { class: "dock" }, trail.root, caption.root, scrubber.root, bar.root);
  const stages = h("div", { class: "stages" }, stage.root, comparison.root);
  const main = h("div", { class: "main" }, comparison.note, stages, dock);
  const body = h("div", { class: "body", hidden: true }, main, h("div", { class: "side" }, tabs.root));
  const root = h("section", { class: "viewer", hidden: true }, head.root, message, body, caption.announcer, help);
  const parts = [head, caption, scrubber, bar, tabs];

  return {
    root,
    stage,
    comparison,
    trail,
    bar,
    help,
    /** Tells every part about another match, or that the match grew. */
    load(state) {
      root.setAttribute("aria-label", matchName(state.document));
      root.hidden = false;
      message.hidden = true;
      body.hidden = false;
      for (const part of parts) part.load(state);
    },
    /** Tells every part about another step, speed or connection. */
    update(state) {
      for (const part of parts) part.update(state);
    },
    /** Shows a sentence instead of a match. */
    say(text, ...more) {
      root.hidden = false;
      body.hidden = true;
      message.hidden = false;
      message.replaceChildren(h("p", {}, text), ...more);
    },
    get usable() {
      return !body.hidden && !help.open;
    },
  };
}

function panels(actions) {
  return [
    { name: "Moves", panel: createMoves(actions) },
    { name: "Moments", panel: createMoments(actions) },
    { name: "Charts", panel: createCharts(actions) },
    { name: "Text", panel: createPosition() },
    { name: "Deal", panel: createDeal(actions) },
  ];
}

/** What happened at this step, to be read and to be heard. */
function createCaption() {
  const where = h("p", { class: "where" });
  const said = h("div", { class: "said", role: "group", "aria-label": "What happened", tabindex: 0 });
  const announcer = h("div", { class: "unseen", "aria-live": "polite" });
  let shown = null;
  return {
    root: h("div", { class: "caption" }, where, said),
    announcer,
    /** Another match is not announced: its reader has just chosen it. */
    load({ frame }) {
      shown = frame;
      said.replaceChildren(...narration(frame));
    },
    update({ frame, timeline }) {
      where.textContent = whereabouts(frame, timeline);
      if (frame === shown) return;
      shown = frame;
      said.replaceChildren(...narration(frame));
      announcer.textContent = frame.text;
    },
  };
}

function whereabouts(frame, { steps }) {
  const step = frame.step === 0 ? `The deal, before ${counted(steps, "step")}` : `Step ${frame.step} of ${steps}`;
  return `${step} · turn ${frame.turn + 1} · round ${frame.round}`;
}
