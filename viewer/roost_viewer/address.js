// The step in the address, links to a step, and what an embedding page is told.

/** `57` and `0` of `#step=57&eye=0`; `null` for what is not there or makes no sense. */
export function readAddress(hash) {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const step = values.get("step");
  return { step: /^\d{1,9}$/.test(step ?? "") ? Number(step) : null, eye: values.get("eye") };
}

/** The part of an address that leads to a step, as an eye sees it. */
export const stepHash = (step, eye) => `#step=${step}&eye=${encodeURIComponent(eye)}`;

/** Browsers refuse to change the address too often. */
const PAUSE_MS = 350;
let wanted = null;
let pausing = false;

/** Puts the step into the address of this page, without a new entry in its history: at once, or after a short pause. */
export function writeAddress(step, eye) {
  wanted = stepHash(step, eye);
  if (!pausing) writeWanted();
}

function writeWanted() {
  pausing = wanted !== null;
  if (!pausing) return;
  setTimeout(writeWanted, PAUSE_MS);
  try {
    if (location.hash !== wanted) history.replaceState(history.state, "", wanted);
  } catch {
    // A page made from a string, as in a notebook, has no address to change.
  }
  wanted = null;
}

/** The full link to a step on `page`, the address of a page. */
export function stepLink(page, step, eye) {
  const link = new URL(page || location.href, location.href);
  link.hash = stepHash(step, eye);
  return link.href;
}

/** Copies `text`; resolves to whether that was possible. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** The old way, for pages without TLS, where there is no `navigator.clipboard`. */
function copySelected(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}

/** Tells the page that embeds this one. It is told nothing that is not in the address or the result. */
export function tellHost(event, details) {
  if (window.parent === window) return;
  window.parent.postMessage({ source: "roost-match", event, ...details }, "*");
}
