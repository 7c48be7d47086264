// The panels beside the table, one of them shown at a time, and the position as text.

import { h } from "../elements.js";

/** The position in the words of the board. */
export function createPosition() {
  const lines = h("div", { class: "position" });
  const root = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Position as text" }, lines);
  return {
    root,
    load() {},
    update({ frame, describe }) {
      if (root.closest("[hidden]")) return;
      const text = [`Step ${frame.step}: ${frame.text}`, ...describe(frame).split("\n")];
      lines.replaceChildren(...text.filter(Boolean).map((line) => h("p", {}, line)));
    },
  };
}

/**
 * Tabs over panels. Arrow keys move between tabs, as readers of tabs expect.
 * @param {{name: string, panel: {root: HTMLElement, load: Function, update: Function}}[]} entries
 * @param {() => void} opened is called when another panel is shown, so that it can be brought up to date
 */
export function createTabs(entries, opened) {
  const tabs = entries.map(({ name }, i) => {
    const names = { id: `tab-${i}`, "aria-controls": `panel-${i}` };
    return h("button", { type: "button", role: "tab", ...names, onclick: () => open(i) }, name);
  });
  const bodies = entries.map(({ panel }, i) =>
    h("div", { role: "tabpanel", id: `panel-${i}`, "aria-labelledby": `tab-${i}`, class: "panel" }, panel.root),
  );
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": "About the match", onkeydown: (event) => move(event) }, tabs);
  const root = h("div", { class: "panels" }, list, bodies);

  function select(chosen) {
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === chosen));
      tab.tabIndex = i === chosen ? 0 : -1;
      bodies[i].hidden = i !== chosen;
    });
  }

  function open(chosen) {
    select(chosen);
    opened();
  }

  function move(event) {
    const at = tabs.indexOf(event.target);
    const goal = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (goal === undefined || at < 0) return;
    event.preventDefault();
    const chosen = (goal + tabs.length) % tabs.length;
    open(chosen);
    tabs[chosen].focus();
  }

  select(0);
  return {
    root,
    load: (state) => entries.forEach(({ panel }) => panel.load(state)),
    update: (state) => entries.forEach(({ panel }) => panel.update(state)),
  };
}
