// Playing a match by itself, at the speed at which it was played or at a number of steps a second.

/** The speeds that one can choose, in steps a second; `recorded` takes the thinking times of the bots. */
export const SPEEDS = ["recorded", 0.25, 0.5, 1, 2, 4, 8, 16];
/** Recorded moves of less than a drawn picture each cannot be seen any faster than this. */
const SHORTEST_MS = 16;
const UNKNOWN_MS = 1000;
/** Motion takes at most this long, and at most this part of the time that a step is shown. */
const MOTION_MS = 420;
const MOTION_SHARE = 0.7;

/** How long the decisions of `frame` took; simultaneous ones as long as the longest. */
export function thinkingTime(frame) {
  const known = frame.moves.map(({ ms }) => ms).filter((ms) => typeof ms === "number");
  return known.length ? Math.max(...known) : null;
}

/** How a speed is called. */
export const speedName = (speed) => (speed === "recorded" ? "as played" : `${speed} / s`);

export class Playback {
  #timer = null;
  #advance;
  #changed;

  /**
   * @param {() => object | null} advance shows the next frame and returns the one after it, `null` at the end
   * @param {() => void} changed is called when playing starts, stops or changes its speed
   */
  constructor(advance, changed) {
    this.#advance = advance;
    this.#changed = changed;
    this.speed = 1;
  }

  get playing() {
    return this.#timer !== null;
  }

  /** Starts; `next` is the frame to show first. */
  start(next) {
    this.stop();
    this.#wait(next);
    this.#changed();
  }

  stop() {
    if (!this.playing) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#changed();
  }

  /** Sets the speed; `next` is the frame to show next, if it plays. */
  setSpeed(speed, next) {
    this.speed = speed;
    if (this.playing) this.start(next);
    else this.#changed();
  }

  /** The next slower or faster speed. */
  nearbySpeed(direction) {
    const at = SPEEDS.indexOf(this.speed) + direction;
    return SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at))];
  }

  /** How long the motion towards `frame` may take. */
  motion(frame) {
    return Math.round(this.playing ? Math.min(MOTION_MS, this.#delay(frame) * MOTION_SHARE) : MOTION_MS);
  }

  #delay(frame) {
    if (this.speed !== "recorded") return 1000 / this.speed;
    return Math.max(SHORTEST_MS, thinkingTime(frame) ?? UNKNOWN_MS);
  }

  #wait(next) {
    this.#timer = setTimeout(() => this.#tick(), this.#delay(next));
  }

  #tick() {
    const next = this.#advance();
    if (!this.playing) return;
    if (next) this.#wait(next);
    else this.stop();
  }
}
