// The frames of one match as a line to step along: where turns and rounds begin, and which moments matter. No DOM.

/** How often the largest swings are named. */
const SWINGS = 5;

/** The kinds of key moments in words, the most important first. Each has an icon of the same name. */
export const KINDS = {
  forfeit: "forfeit",
  fault: "fault",
  steal: "steal",
  suspicion: "suspicion",
  slap: "slap",
  spoiled: "spoiled burger",
  closed: "closed burger",
  lead: "new leader",
  swing: "big swing",
};

const ORDER = Object.keys(KINDS);

/** The ways to step that stop at a frame because of where it lies, by what must differ from the frame before. */
const BOUNDARIES = { turn: ["turn", "round"], round: ["round"] };

export class Timeline {
  /** @param {object[]} frames in order; may grow by `grew()` */
  constructor(frames) {
    this.frames = frames;
    this.grew();
  }

  /** Takes in the frames that were added. Until then they are not part of the line. */
  grew() {
    /** The index of the last frame. */
    this.last = this.frames.length - 1;
    this.marks = this.frames.map((frame) => new Set(frame.marks ?? []));
    for (const index of largestSwings(this.frames)) this.marks[index].add("swing");
  }

  /** The step that the last frame reaches. */
  get steps() {
    return this.frames[this.last]?.step ?? 0;
  }

  /** The frame that has the decision number `step`, perhaps with others at the same time; the last one if none has. */
  at(step) {
    const found = this.frames.findIndex((frame) => frame.step >= step);
    return found === -1 ? this.last : found;
  }

  /** The kinds of key moment that the frame at `index` is, the most important first. */
  kinds(index) {
    return ORDER.filter((kind) => this.marks[index].has(kind));
  }

  /** The indexes of all key moments. */
  get moments() {
    return this.marks.flatMap((_, index) => (this.kinds(index).length ? [index] : []));
  }

  /** Whether a turn or a round (`unit`) begins at `index`. */
  begins(index, unit) {
    if (index === 0) return true;
    const [frame, before] = [this.frames[index], this.frames[index - 1]];
    return BOUNDARIES[unit].some((key) => frame[key] !== before[key]);
  }

  /**
   * Where to go from `index`. `unit` is `decision`, `turn`, `round`, `moment` or a kind of key moment.
   * @returns {number | null} `null` if there is nothing like it in this direction
   */
  seek(index, unit, direction) {
    const stops = this.#stops(unit);
    for (let at = index + direction; at >= 0 && at <= this.last; at += direction) if (stops(at)) return at;
    return unit in BOUNDARIES ? this.#edge(index, direction) : null;
  }

  #stops(unit) {
    if (unit === "decision") return () => true;
    if (unit in BOUNDARIES) return (at) => this.begins(at, unit);
    if (unit === "moment") return (at) => this.kinds(at).length > 0;
    return (at) => this.marks[at].has(unit);
  }

  #edge(index, direction) {
    const edge = direction > 0 ? this.last : 0;
    return edge === index ? null : edge;
  }
}

/** How far a frame moved the match: as it says itself, else by how much a seat gained on the best of the others. */
function swingAt(frames, index) {
  const [frame, before] = [frames[index], frames[index - 1]];
  if (typeof frame.swing === "number") return Math.abs(frame.swing);
  const shifts = margins(frame.points).map((margin, seat) => Math.abs(margin - margins(before.points)[seat]));
  return Math.max(0, ...shifts);
}

const margins = (points) =>
  points.map((own, seat) => own - Math.max(...points.filter((_, other) => other !== seat)));

function largestSwings(frames) {
  const swings = frames.slice(1).map((_, i) => ({ index: i + 1, swing: swingAt(frames, i + 1) }));
  const ranked = swings.filter(({ swing }) => swing > 0).sort((a, b) => b.swing - a.swing || a.index - b.index);
  return ranked.slice(0, SWINGS).map(({ index }) => index);
}
