// The buttons under the table: stepping, playing, going to key moments, the link to this step, help.

import { counted, h, icon, iconButton } from "../elements.js";
import { SPEEDS, speedName } from "../playback.js";
import { KINDS } from "../timeline.js";

/** What one can go to with the two buttons beside the choice. */
const GOALS = { moment: "key moment", round: "round", ...KINDS };

/** @param {object} actions what the element does: go, goLast, seek, toggle, setSpeed, copyLink, help */
export function createBar(actions) {
  const steps = createSteps(actions);
  const speed = createSpeed(actions);
  const goals = createGoals(actions);
  const copy = h("button", { type: "button", class: "plain copy", onclick: actions.copyLink }, icon("link"), "Copy link to this step");
  const whole = h("a", { class: "plain", target: "_blank", rel: "noopener" }, "Open the whole match");
  const help = iconButton("help", "Keys and help", actions.help);
  const root = h("div", { class: "bar" }, steps.root, speed.root, goals.root, h("div", { class: "group end" }, copy, whole, help));
  return {
    root,
    load: goals.load,
    update(state) {
      steps.update(state);
      speed.update(state);
      goals.update(state);
      copy.hidden = state.embedded || !state.linkable;
      whole.hidden = !state.embedded;
      whole.href = state.link;
    },
    /** Says on the button itself whether the link was copied. */
    copied(done) {
      copy.lastChild.textContent = done ? "Link copied" : "Copying failed";
      clearTimeout(copy.timer);
      copy.timer = setTimeout(() => (copy.lastChild.textContent = "Copy link to this step"), 2000);
    },
  };
}

function createSteps(actions) {
  const back = [
    iconButton("first", "To the deal", () => actions.go(0)),
    iconButton("turnBack", "Turn before", () => actions.seek("turn", -1)),
    iconButton("back", "Decision before", () => actions.seek("decision", -1)),
  ];
  const play = iconButton("play", "Play", actions.toggle, { class: "tool play" });
  const forward = [
    iconButton("forward", "Next decision", () => actions.seek("decision", 1)),
    iconButton("turnForward", "Next turn", () => actions.seek("turn", 1)),
    iconButton("last", "To the end", actions.goLast),
  ];
  const root = h("div", { class: "group steps", role: "group", "aria-label": "Stepping" }, back, play, forward);
  return {
    root,
    update({ index, timeline, playing }) {
      for (const button of back) setDisabled(button, index === 0);
      for (const button of forward) setDisabled(button, index === timeline.last);
      const label = playing ? "Pause" : "Play";
      if (play.title !== label) {
        play.title = label;
        play.setAttribute("aria-label", label);
        play.replaceChildren(icon(playing ? "pause" : "play"));
      }
    },
  };
}

/** Disabled for the eye and for assistance, but keeps the focus, so that a reader at the end is not thrown out. */
function setDisabled(button, disabled) {
  button.setAttribute("aria-disabled", String(disabled));
}

function createSpeed(actions) {
  const options = SPEEDS.map((speed) => h("option", { value: speed }, speedName(speed)));
  const choose = () => actions.setSpeed(select.value === "recorded" ? "recorded" : Number(select.value));
  const select = h("select", { "aria-label": "Speed, in steps a second", onchange: choose }, options);
  const root = h("label", { class: "group speed" }, h("span", { "aria-hidden": "true" }, "Speed"), select);
  return { root, update: ({ speed }) => (select.value = String(speed)) };
}

function createGoals(actions) {
  const select = h("select", { "aria-label": "What to go to", onchange: () => actions.refresh() });
  const before = iconButton("back", "Go to the one before", () => actions.seek(select.value, -1));
  const next = iconButton("forward", "Go to the next one", () => actions.seek(select.value, 1));
  const root = h("div", { class: "group goals", role: "group", "aria-label": "Go to" }, before, select, next);
  return {
    root,
    load({ timeline }) {
      const kept = select.value || "moment";
      select.replaceChildren(...available(timeline).map(([goal, text]) => h("option", { value: goal }, text)));
      select.value = kept;
      if (select.selectedIndex < 0) select.selectedIndex = 0;
    },
    update({ timeline, index }) {
      setDisabled(before, timeline.seek(index, select.value, -1) === null);
      setDisabled(next, timeline.seek(index, select.value, 1) === null);
    },
  };
}

/** The goals that this match has, with their number. */
function available(timeline) {
  const numbers = Object.keys(GOALS).map((goal) => [goal, numberOf(timeline, goal)]);
  return numbers.filter(([, number]) => number).map(([goal, number]) => [goal, counted(number, GOALS[goal])]);
}

function numberOf(timeline, goal) {
  if (goal === "moment") return timeline.moments.length;
  if (goal === "round") return timeline.frames.filter((_, index) => timeline.begins(index, "round")).length;
  return timeline.marks.filter((marks) => marks.has(goal)).length;
}
