// The keys, and the dialog that lists them.

import { h } from "../elements.js";

const OFF = "roost-match:letters-off";

/**
 * A key: how it is shown, what it does, and its action. Letters can be turned off, for people who speak to their
 * computer or hit keys by accident.
 */
const KEYS = [
  { key: "ArrowRight", shown: "→", text: "next decision", run: (a) => a.seek("decision", 1) },
  { key: "ArrowLeft", shown: "←", text: "decision before", run: (a) => a.seek("decision", -1) },
  { key: "ArrowRight", shift: true, shown: "Shift →", text: "next turn", run: (a) => a.seek("turn", 1) },
  { key: "ArrowLeft", shift: true, shown: "Shift ←", text: "turn before", run: (a) => a.seek("turn", -1) },
  { key: "]", shown: "]", text: "next round", run: (a) => a.seek("round", 1) },
  { key: "[", shown: "[", text: "round before", run: (a) => a.seek("round", -1) },
  { key: "Home", shown: "Home", text: "the deal", run: (a) => a.go(0) },
  { key: "End", shown: "End", text: "the end, or live", run: (a) => a.goLast() },
  { key: " ", shown: "Space", text: "play or pause", run: (a) => a.toggle() },
  { key: "+", shown: "+", text: "faster", run: (a) => a.faster(1) },
  { key: "-", shown: "−", text: "slower", run: (a) => a.faster(-1) },
  { key: "k", shown: "K", text: "next key moment", run: (a) => a.seek("moment", 1) },
  { key: "j", shown: "J", text: "key moment before", run: (a) => a.seek("moment", -1) },
  { key: "f", shown: "F", text: "next fault", run: (a) => a.seek("fault", 1) },
  { key: "s", shown: "S", text: "next steal", run: (a) => a.seek("steal", 1) },
  { key: "w", shown: "W", text: "next big swing", run: (a) => a.seek("swing", 1) },
  { key: "e", shown: "E", text: "other eyes", run: (a) => a.nextEye() },
  { key: "c", shown: "C", text: "copy link to this step", run: (a) => a.copyLink() },
  { key: "?", shown: "?", text: "this help", run: (a) => a.help() },
];

const EVERYDAY = new Set(["ArrowRight", "ArrowLeft", "Home", "End", " "]);

/** Whether the target of an event uses keys itself. */
function busy(target, key) {
  if (!(target instanceof Element)) return false;
  if (target.closest("input:not([type=range]), textarea, select, [contenteditable], [role=tab], [data-card]")) return true;
  if (target.closest("input[type=range]")) return key !== " ";
  return key === " " && target.closest("button, a[href], summary") !== null;
}

/** Runs the action of a key; returns whether it was one of ours. */
export function press(event, actions) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (busy(event.composedPath()[0], event.key)) return false;
  const found = KEYS.find((entry) => matches(entry, event));
  if (!found || (!EVERYDAY.has(found.key) && lettersOff())) return false;
  event.preventDefault();
  found.run(actions);
  return true;
}

function matches(entry, event) {
  const named = entry.key.length > 1;
  if (named) return entry.key === event.key && Boolean(entry.shift) === event.shiftKey;
  return entry.key === event.key.toLowerCase();
}

function lettersOff() {
  try {
    return localStorage.getItem(OFF) !== null;
  } catch {
    return false;
  }
}

function switchLetters(on) {
  try {
    if (on) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "1");
  } catch {
    // Without storage, as in some embedded pages, letters stay on.
  }
}

/** The dialog with all keys. `version` is a line about the viewer. */
export function createHelp(version) {
  const rows = KEYS.map(({ shown, text }) => h("div", {}, h("dt", {}, h("kbd", {}, shown)), h("dd", {}, text)));
  const letters = h("input", { type: "checkbox", onchange: () => switchLetters(letters.checked) });
  letters.checked = !lettersOff();
  const close = h("button", { type: "button", class: "plain", onclick: () => dialog.close() }, "Close");
  const dialog = h(
    "dialog",
    { class: "help", "aria-label": "Keys of the viewer" },
    h("p", { class: "title" }, "Keys"),
    h("dl", {}, rows),
    h("p", { class: "soft" }, "Click a card to see where it came from. Arrow keys move between the cards of the table."),
    h("label", {}, letters, " Use letters and signs as keys"),
    h("p", { class: "foot" }, h("span", { class: "soft" }, version), close),
  );
  return dialog;
}
