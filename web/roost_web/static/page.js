/** What every page does in the browser: times in words, tables that update without jumping, and copying. */

const TIMES_MS = 10_000;
const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

/** A time from now, in words of its largest unit. */
function inWords(seconds) {
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size || size === 1) return relative.format(Math.trunc(seconds / size), unit);
  }
  return "";
}

/** Write all times below `root` as readers think of them. */
function writeTimes(root = document) {
  for (const time of root.querySelectorAll("time[data-ms]")) {
    const at = Number(time.dataset.ms);
    const words = inWords((at - Date.now()) / 1000);
    if (time.textContent !== words) time.textContent = words;
    if (!time.title) time.title = exact.format(new Date(at));
  }
}

/** A table must not change under a reader's eyes: while it is pointed at, or has the focus or a selection. */
function isBeingRead(region) {
  const selection = document.getSelection();
  const selected = selection && !selection.isCollapsed && region.contains(selection.anchorNode);
  return region.querySelector("table:hover, ul:hover") !== null || region.contains(document.activeElement) || selected;
}

/** What is remembered of the rows of a live table, by their ids. */
function remember(region) {
  return new Map([...region.querySelectorAll("tr[id]")].map((row) => [row.id, { ...row.dataset }]));
}

/** Mark what has changed since `before`, for eyes and without moving anything. */
function markChanges(region, before) {
  if (before.size === 0) return;
  for (const row of region.querySelectorAll("tr[id]")) {
    const then = before.get(row.id);
    if (!then) row.classList.add("changed");
    else if (then.rank !== row.dataset.rank || then.rating !== row.dataset.rating) {
      row.classList.add("changed");
      const moved = Number(then.rank) - Number(row.dataset.rank);
      const rank = row.querySelector(".rank");
      if (moved && rank) {
        rank.classList.add("moved");
        rank.dataset.moved = moved > 0 ? `▲${moved}` : `▼${-moved}`;
      }
    }
  }
}

const held = new WeakMap();

/** Keep what has arrived until the reader looks elsewhere or asks for it, and say that it is there. */
function hold(region, markup) {
  if (!held.has(region)) region.after(holdNotice(region));
  held.set(region, markup);
}

function holdNotice(region) {
  const notice = document.createElement("div");
  notice.className = "held";
  notice.setAttribute("role", "status");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "There are newer results: show them";
  button.addEventListener("click", () => release(region));
  notice.append(button);
  region.addEventListener("pointerleave", () => release(region), { once: true });
  return notice;
}

function release(region) {
  const markup = held.get(region);
  if (markup === undefined) return;
  held.delete(region);
  if (region.nextElementSibling?.className === "held") region.nextElementSibling.remove();
  window.htmx.swap(region, markup, { swapStyle: "innerHTML" });
}

/** Where the reader has scrolled to inside the tables of a region. */
function scrolled(region) {
  return [...region.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
}

const known = new WeakMap();

function listenToUpdates() {
  document.body.addEventListener("htmx:beforeRequest", (event) => {
    if (document.hidden) event.preventDefault();
  });
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const { target, xhr, serverResponse } = event.detail;
    if (xhr.status !== 200 || !target.matches("[data-live]")) return;
    if (known.get(target)?.text === serverResponse) event.detail.shouldSwap = false;
    else if (isBeingRead(target)) {
      event.detail.shouldSwap = false;
      hold(target, serverResponse);
    }
    known.set(target, { text: serverResponse, rows: remember(target), at: scrolled(target) });
    calm();
  });
  document.body.addEventListener("htmx:afterSwap", (event) => {
    const region = event.detail.target ?? event.target;
    const before = known.get(region);
    if (before) {
      markChanges(region, before.rows);
      region.querySelectorAll(".scroll").forEach((box, index) => { box.scrollLeft = before.at[index] ?? 0; });
    }
    writeTimes(document);
    offerCopies(document);
  });
  for (const trouble of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
    document.body.addEventListener(trouble, alarm);
  }
}

/** Say that what is shown is old, until an update arrives. */
function alarm({ detail }) {
  const banner = document.getElementById("trouble");
  if (!banner) return;
  if (detail.xhr?.status === 404) banner.textContent = "The arena has stopped, and no longer knows about this.";
  else if (banner.hidden) banner.textContent = awayWords();
  banner.hidden = false;
}

function awayWords() {
  const since = new Intl.DateTimeFormat("en", { timeStyle: "medium" }).format(new Date());
  return `The arena is not answering. What you see is from ${since}; this page goes on by itself when it is back.`;
}

function calm() {
  const banner = document.getElementById("trouble");
  if (banner) banner.hidden = true;
}

/** Buttons that copy a text appear where copying is possible. */
function offerCopies(root) {
  for (const button of root.querySelectorAll("button[data-copy][hidden]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }
}

/** When the match on the stage has ended or is gone, the next best one follows after a while. */
function followTheBest() {
  const PAUSE_MS = 7000;
  const next = (event) => {
    const stage = event.target.closest?.("[data-next]");
    if (event.target.localName !== "roost-match" || !stage) return;
    setTimeout(() => window.htmx?.trigger(stage, "next-match"), PAUSE_MS);
  };
  for (const end of ["ended", "gone"]) document.addEventListener(end, next, { capture: true }); // they do not bubble
}

/** Pages that are files have the frames of their match in them, compressed, and those of a match to show beside it. */
async function unpackFrames() {
  const viewer = document.querySelector("roost-match");
  const found = {};
  for (const { dataset, textContent } of document.querySelectorAll("script[data-documents]")) {
    const packed = Uint8Array.from(atob(textContent), (letter) => letter.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    found[dataset.documents] = await new Response(unpacked).json();
  }
  if (viewer) await customElements.whenDefined(viewer.localName); // before that, nothing would notice
  Object.assign(viewer ?? {}, found);
}

/** Codes to embed a match have this page's address in them. */
function completeCodes() {
  for (const code of document.querySelectorAll("code[data-embed]")) {
    code.textContent = code.textContent.replace(code.dataset.embed, new URL(code.dataset.embed, location.href).href);
  }
}

writeTimes();
unpackFrames();
completeCodes();
setInterval(writeTimes, TIMES_MS);
offerCopies(document);
listenToUpdates();
followTheBest();
