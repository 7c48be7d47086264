// Two matches of one deal under rotated seats: the same cards, other bots in the seats, and where the matches part.

import { h, narration } from "./elements.js";
import { matchName } from "./head.js";
import { SourceError } from "./sources.js";
import { Stage } from "./stage.js";
import { Timeline } from "./timeline.js";

/** Why two documents cannot be compared, in one sentence; `null` if they can. */
export function incomparable(one, other) {
  if (one.game !== other.game || one.variant !== other.variant) return "The other match is of another game.";
  if (one.players !== other.players) return "The other match has another number of seats.";
  const keys = one.seed && other.seed ? [one.seed, other.seed] : [one.commitment, other.commitment];
  return keys[0] && keys[0] === keys[1] ? null : "The other match is of another deal.";
}

/** What was decided in a frame, without how long it took. */
const decided = (frame) => JSON.stringify(frame.moves.map(({ seat, move }) => [seat, move]));

/** The first frame in which the two matches differ; `null` if they are the same to the end. */
export function parting(one, other) {
  const length = Math.max(one.frames.length, other.frames.length);
  for (let i = 0; i < length; i += 1) {
    const [mine, theirs] = [one.frames[i], other.frames[i]];
    if (!mine || !theirs || decided(mine) !== decided(theirs)) return i;
  }
  return null;
}

/** The second table and the note about both. */
export class Comparison {
  #stage = new Stage((thing) => this.#actions.pointBeside(thing, this.#timeline.frames, this.#index));
  #timeline = null;
  #index = 0;
  #actions;

  /** @param {object} actions `goToStep` and `pointBeside` are used */
  constructor(actions) {
    this.#actions = actions;
    this.note = h("div", { class: "comparison", hidden: true });
    this.root = this.#stage.root;
    this.root.hidden = true;
  }

  /** Whether there is another match to see. */
  get shown() {
    return this.#timeline !== null;
  }

  /** Reads the other match from `source` and sets it beside `document`; without a source there is nothing to see. */
  async load(source, document) {
    this.#timeline = null;
    this.note.hidden = !source;
    this.root.hidden = true;
    if (!source) return;
    try {
      await this.#open(document, await source.read(String(document.eye)));
    } catch (error) {
      this.note.replaceChildren(h("p", {}, `The other match cannot be shown. ${error.message}`));
    }
  }

  /** Shows the same step of the other match, or its end. */
  show(step, ms) {
    if (!this.#timeline) return;
    this.#index = this.#timeline.at(step);
    const { frames } = this.#timeline;
    this.#stage.show(frames[this.#index], ms ? (frames[this.#index - 1] ?? null) : null, ms);
  }

  async #open(document, other) {
    const reason = incomparable(document, other);
    if (reason) throw new SourceError(reason);
    await this.#stage.load(other);
    this.#timeline = new Timeline(other.frames);
    this.#stage.setTitle(matchName(other));
    this.note.replaceChildren(...this.#compared(document, other));
    this.root.hidden = false;
  }

  #compared(document, other) {
    const at = parting(document, other);
    if (at === null) return [h("p", {}, "The same deal under rotated seats. Both matches went the same way to the end.")];
    const pair = [document.frames[at], other.frames[at]];
    const { step } = pair.find(Boolean);
    const texts = pair.map((frame) => h("li", {}, frame ? narration(frame) : "This match is over."));
    return [
      h("p", {}, `The same deal under rotated seats. The matches part at step ${step}.`),
      h("button", { type: "button", class: "plain", onclick: () => this.#actions.goToStep(step) }, "Go to where they part"),
      h("ul", {}, texts),
    ];
  }
}
