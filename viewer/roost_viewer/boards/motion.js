/**
 * Small motion: what lies elsewhere than before glides there.
 *
 * The board is drawn again for every frame. A thing that can move says what it is by `data-key` (its place and name)
 * and, where it may come from nowhere visible, by `data-from` (a `data-zone` of the board). A thing that keeps its key
 * glides from its old spot. A new one comes from a thing of the same name that is gone, or else from its zone.
 * Dice that were just rolled have `data-tumbles`.
 */

const EASING = "cubic-bezier(.2,.7,.25,1)";

/** Follows the things on `board` from one drawing to the next. */
export function createMotion(board) {
  let running = [];

  function stop() {
    running.forEach((animation) => animation.cancel());
    running = [];
  }

  /** Draw by calling `redraw`, and let what moved glide for `ms` milliseconds. */
  function glide(redraw, ms) {
    stop();
    if (!ms) return redraw();
    const before = { things: spotsOf(board, "key"), zones: spotsOf(board, "zone") };
    redraw();
    running = [
      ...journeys(board, before).map(([element, from, to]) => travel(element, from, to, ms)),
      ...[...board.querySelectorAll("[data-tumbles]")].map((element, index) => tumble(element, index, ms)),
    ];
  }

  return { glide, stop };
}

/** By key and number, where each thing is. */
function spotsOf(board, name) {
  const spots = new Map();
  for (const [key, element] of numbered(board, name)) spots.set(key, element.getBoundingClientRect());
  return spots;
}

/** The elements with a `data-` attribute; equal values are told apart by a number. */
function* numbered(board, name) {
  const seen = new Map();
  for (const element of board.querySelectorAll(`[data-${name}]`)) {
    const key = element.dataset[name];
    const number = seen.get(key) ?? 0;
    seen.set(key, number + 1);
    yield [`${key}#${number}`, element];
  }
}

/** What has to glide, with the spot that it comes from and the one that it has. */
function journeys(board, before) {
  const now = [...numbered(board, "key")];
  const gone = goneThings(before.things, new Set(now.map(([key]) => key)));
  const found = [];
  for (const [key, element] of now) {
    if ("tumbles" in element.dataset) continue;
    const from =
      before.things.get(key) ?? gone.get(nameIn(key))?.shift() ?? before.zones.get(`${element.dataset.from}#0`);
    const to = element.getBoundingClientRect();
    if (from && differs(from, to)) found.push([element, from, to]);
  }
  return found;
}

function goneThings(things, kept) {
  const gone = new Map();
  for (const [key, spot] of things) {
    if (kept.has(key)) continue;
    const name = nameIn(key);
    gone.set(name, [...(gone.get(name) ?? []), spot]);
  }
  return gone;
}

/** The name in `place|name#number`. */
function nameIn(key) {
  return key.slice(key.indexOf("|") + 1, key.lastIndexOf("#"));
}

function differs(from, to) {
  return to.width > 0 && (Math.abs(from.x - to.x) > 1 || Math.abs(from.y - to.y) > 1);
}

function travel(element, from, to, ms) {
  const right = from.x + from.width / 2 - to.x - to.width / 2;
  const down = from.y + from.height / 2 - to.y - to.height / 2;
  const scale = Math.min(1.8, Math.max(0.3, Math.min(from.width / to.width, from.height / to.height)));
  const start = { transform: `translate(${right}px, ${down}px) scale(${scale})`, zIndex: 9 };
  return element.animate([start, { transform: "none", zIndex: 9 }], { duration: ms, easing: EASING });
}

function tumble(element, index, ms) {
  const start = {
    transform: `translateY(-${8 + (index % 3) * 5}px) rotate(${index % 2 ? 70 : -80}deg) scale(.7)`,
    opacity: 0.3,
  };
  return element.animate([start, { transform: "none", opacity: 1 }], { duration: ms, easing: EASING });
}
