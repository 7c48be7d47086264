// The custom element `<roost-match>`: shows one match, step by step, from its frames.
//
// Attributes: `src` (URL of the frames per eye; `{eye}` in it is replaced, else the eye is appended), `live` (URL of the
// stream of a match that is being played), `beside` (like `src`, of the same deal under rotated seats), `eye`, `step`,
// `address` (keep the step in the address of the page, and take keys from the whole page), `link` (the page that links
// to a step lead to), `embed` (in a small place: no lists beside the table, a link to the whole match, and the host of an
// iframe is told). Properties: `documents` and `besideDocuments`, by eye, instead of `src` and `beside`; `step`; `eye`.
// Events: `step` with `{match, step, steps, eye}`, and `ended` with `{match, result}` when the end of a match is shown.

import { copyText, readAddress, stepLink, tellHost, writeAddress } from "./address.js";
import { press } from "./controls/keyboard.js";
import { h } from "./elements.js";
import { matchName } from "./head.js";
import { createLayout } from "./layout.js";
import { Playback } from "./playback.js";
import { EmbeddedDocuments, FORMAT, LiveMatch, RemoteDocuments, SourceError } from "./sources.js";
import { styles } from "./style.js";
import { Timeline } from "./timeline.js";

/** The version of the viewer, for people who report a fault. */
export const VERSION = "1";
const BROKEN = "The match cannot be shown because of a fault in the viewer. Reload the page to try again.";

const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);

const stillness = matchMedia("(prefers-reduced-motion: reduce)");

class RoostMatch extends HTMLElement {
  static observedAttributes = ["src", "live", "beside"];

  #documents = null;
  #besideDocuments = null;
  #source = null;
  #live = null;
  #connected = true;
  #document = null;
  #timeline = null;
  #index = 0;
  #eye = null;
  /** Counts what was asked for, so that an answer that comes late is not shown. */
  #asked = 0;
  #growing = false;
  #starting = false;
  #layout = null;
  #playback = new Playback(
    () => this.#advance(),
    () => this.#refresh(),
  );
  #onkey = (event) => this.#press(event);
  #onaddress = () => this.#followAddress();

  /** What the parts of the viewer can ask for. */
  #actions = {
    go: (index) => this.#go(index),
    goToStep: (step) => this.#go(this.#timeline.at(step)),
    goLast: () => this.#go(this.#timeline.last),
    seek: (unit, direction) => this.#go(this.#timeline.seek(this.#index, unit, direction) ?? this.#index),
    toggle: () => this.#toggle(),
    setSpeed: (speed) => this.#playback.setSpeed(speed, this.#next),
    faster: (direction) => this.#actions.setSpeed(this.#playback.nearbySpeed(direction)),
    setEye: (eye) => this.#setEye(eye),
    nextEye: () => this.#nextEye(),
    copyLink: async () => this.#layout.bar.copied(await copyText(this.#linkTo(this.step))),
    help: () => this.#layout.help.showModal(),
    refresh: () => this.#refresh(),
    stepLink: (step, ...children) => this.#stepLink(step, children),
    openDocument: () => this.#openDocument(),
    point: (thing) => this.#layout.trail.follow(thing, this.#timeline.frames, this.#index),
    pointBeside: (thing, frames, index) => this.#layout.trail.follow(thing, frames, index),
  };

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
  }

  connectedCallback() {
    this.#layout ??= this.#build();
    (this.hasAttribute("address") ? document : this).addEventListener("keydown", this.#onkey);
    window.addEventListener("hashchange", this.#onaddress);
    this.#startSoon();
  }

  disconnectedCallback() {
    for (const target of [document, this]) target.removeEventListener("keydown", this.#onkey);
    window.removeEventListener("hashchange", this.#onaddress);
    this.#playback.stop();
    this.#live?.close();
  }

  attributeChangedCallback() {
    this.#startSoon();
  }

  /** Documents by eye, instead of `src`. */
  set documents(documents) {
    this.#documents = documents;
    this.#startSoon();
  }

  get documents() {
    return this.#documents;
  }

  /** Documents by eye of the match to show beside this one, instead of `beside`. */
  set besideDocuments(documents) {
    this.#besideDocuments = documents;
    this.#startSoon();
  }

  get besideDocuments() {
    return this.#besideDocuments;
  }

  /** The step that is shown; set it to go there. */
  get step() {
    return this.#frame?.step ?? 0;
  }

  set step(step) {
    if (this.#timeline) this.#actions.goToStep(step);
    else this.setAttribute("step", String(step));
  }

  /** Whose eyes look: `open`, `spectator` or the number of a seat. */
  get eye() {
    return this.#eye;
  }

  set eye(eye) {
    if (this.#timeline) this.#setEye(String(eye));
    else this.setAttribute("eye", String(eye));
  }

  get #frame() {
    return this.#timeline?.frames[this.#index] ?? null;
  }

  get #next() {
    return this.#index < this.#timeline?.last ? this.#timeline.frames[this.#index + 1] : null;
  }

  #build() {
    const layout = createLayout(this.#actions, `Viewer ${VERSION}, reads ${FORMAT}`);
    this.shadowRoot.append(layout.root);
    return layout;
  }

  // --- Loading ------------------------------------------------------------------------------------------------------

  /** Starts once for all attributes and properties that are set together. */
  #startSoon() {
    if (this.#starting || !this.isConnected) return;
    this.#starting = true;
    queueMicrotask(() => {
      this.#starting = false;
      if (this.isConnected) this.#start();
    });
  }

  #start() {
    this.#playback.stop();
    this.#live?.close();
    this.#live = null;
    this.#document = null;
    this.#timeline = null;
    this.#source = sourceOf(this.#documents, this.getAttribute("src"));
    const live = this.getAttribute("live");
    const { eye, step } = this.#wanted();
    if (live && !this.#documents) this.#watch(live);
    else if (this.#source) this.#load(eye, step ?? 0);
  }

  /** The step and the eye that the address asks for, or else the attributes. */
  #wanted() {
    const address = this.hasAttribute("address") ? readAddress(location.hash) : { step: null, eye: null };
    const step = this.getAttribute("step");
    return { step: address.step ?? (step === null ? null : Number(step) || 0), eye: address.eye ?? this.getAttribute("eye") };
  }

  /** Reads the document of `eye` and shows `step` of it. */
  async #load(eye, step) {
    const asked = (this.#asked += 1);
    if (!this.#document) this.#layout.say("Loading the match …");
    this.#layout.root.classList.add("busy");
    try {
      const document = await this.#read(eye);
      if (asked === this.#asked) await this.#open(document, step);
    } catch (error) {
      if (asked === this.#asked) this.#fail(error, () => this.#load(eye, step));
    } finally {
      if (asked === this.#asked) this.#layout.root.classList.remove("busy");
    }
  }

  /** At the start, an eye that does not exist gives way to the usual one: old links stay good. */
  async #read(eye) {
    if (eye === null) return this.#source.read();
    try {
      return await this.#source.read(eye);
    } catch (error) {
      if (error.retry || this.#document) throw error;
      return this.#source.read();
    }
  }

  async #open(document, step) {
    await this.#layout.stage.load(document);
    this.#document = document;
    this.#eye = String(document.eye);
    this.#timeline = new Timeline(document.frames);
    this.#index = this.#timeline.at(step);
    this.#layout.trail.hide();
    this.#layout.load(this.#state());
    this.#show(this.#index, null);
    await this.#compare(document);
  }

  /** Sets the other match beside this one, if there is another. */
  async #compare(document) {
    const { comparison, stage, root } = this.#layout;
    await comparison.load(sourceOf(this.#besideDocuments, this.getAttribute("beside")), document);
    comparison.show(this.step, 0);
    stage.setTitle(comparison.shown ? matchName(document) : null);
    root.classList.toggle("paired", comparison.shown);
  }

  #fail(error, again) {
    const known = error instanceof SourceError;
    if (!known) console.error(error);
    const retry = error.retry ? [h("button", { type: "button", class: "plain strong", onclick: again }, "Try again")] : [];
    this.#layout.say(known ? error.message : BROKEN, ...retry);
  }

  // --- A match that is being played ---------------------------------------------------------------------------------

  #watch(url) {
    this.#layout.say("Waiting for the match …");
    this.#live = new LiveMatch(url, {
      grew: () => this.#grow(),
      ended: () => this.#finish(),
      connected: (yes) => this.#setConnected(yes),
      failed: (error) => {
        this.#fail(error);
        this.#dispatch("gone", {});
      },
    });
    this.#live.open();
  }

  #setConnected(yes) {
    this.#connected = yes;
    this.#refresh();
  }

  /** Takes in new frames, once for all that came since the last picture. */
  #grow() {
    if (this.#growing) return;
    this.#growing = true;
    requestAnimationFrame(() => {
      this.#growing = false;
      if (this.#live) this.#takeIn(this.#live.document);
    });
  }

  /** A reader at the end stays at the end; one who went back stays there. */
  #takeIn(document) {
    if (!document.frames.length) return;
    if (this.#document !== document) {
      this.#open(document, this.#wanted().step ?? Infinity).catch((error) => this.#fail(error));
      return;
    }
    const following = this.#index === this.#timeline.last && !this.#playback.playing;
    this.#timeline.grew();
    this.#layout.load(this.#state());
    if (following && this.#next) this.#show(this.#timeline.last, this.#index);
    else this.#refresh();
  }

  /** What was hidden while the match ran may now be asked for. */
  async #finish() {
    const { document } = this.#live;
    this.#takeIn(document);
    const finished = await this.#source?.read(String(document.eye)).catch(() => null);
    if (!finished?.result || this.#document !== document) return;
    this.#live = null; // or a picture that is still due would bring back what spectators saw
    await this.#open(finished, this.step);
  }

  // --- Eyes ---------------------------------------------------------------------------------------------------------

  get #eyes() {
    const offered = this.#source?.eyes ?? this.#document.eyes ?? [this.#eye];
    return offered.map(String);
  }

  #setEye(eye) {
    if (eye !== this.#eye && this.#source) this.#load(eye, this.step);
  }

  #nextEye() {
    const eyes = this.#eyes;
    this.#setEye(eyes[(eyes.indexOf(this.#eye) + 1) % eyes.length]);
  }

  async #openDocument() {
    const open = await this.#source?.read("open").catch(() => null);
    return open ?? this.#document;
  }

  // --- Stepping -----------------------------------------------------------------------------------------------------

  /** Goes to a frame because the reader asked for it. */
  #go(index) {
    this.#playback.stop();
    const goal = Math.min(this.#timeline.last, Math.max(0, index));
    if (goal !== this.#index) this.#show(goal, this.#index);
  }

  #toggle() {
    if (this.#playback.playing) {
      this.#playback.stop();
      return;
    }
    if (!this.#next) this.#show(0, this.#index);
    if (this.#next) this.#playback.start(this.#next);
  }

  /** Shows the next frame while the match plays; returns the one after it. */
  #advance() {
    if (this.#next) this.#show(this.#index + 1, this.#index);
    return this.#next;
  }

  /** Shows a frame; `from` is the index shown before, `null` on a table that has just been set up. */
  #show(index, from) {
    this.#index = index;
    const onward = from !== null && index === from + 1;
    const ms = onward && !stillness.matches ? this.#playback.motion(this.#frame) : 0;
    this.#layout.stage.show(this.#frame, onward ? this.#timeline.frames[from] : null, ms);
    this.#layout.comparison.show(this.step, ms);
    this.#refresh();
    this.#tell();
  }

  #state() {
    return {
      document: this.#document,
      timeline: this.#timeline,
      index: this.#index,
      frame: this.#frame,
      eye: this.#eye,
      eyes: this.#eyes,
      playing: this.#playback.playing,
      speed: this.#playback.speed,
      live: this.#live !== null,
      connected: this.#connected,
      behind: this.#timeline.steps - this.step,
      link: this.#linkTo(this.step),
      embedded: this.hasAttribute("embed") && this.hasAttribute("link"),
      linkable: this.hasAttribute("link") || location.protocol !== "about:",
      describe: (frame) => this.#layout.stage.describe(frame),
    };
  }

  #refresh() {
    if (this.#frame) this.#layout.update(this.#state());
  }

  // --- The address, links, and others who want to know ----------------------------------------------------------------

  #tell() {
    if (this.hasAttribute("address")) writeAddress(this.step, this.#eye);
    const { match, result } = this.#document;
    this.#dispatch("step", { match, step: this.step, steps: this.#timeline.steps, eye: this.#eye });
    if (result && !this.#next) this.#dispatch("ended", { match, result });
  }

  #dispatch(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
    if (this.hasAttribute("embed")) tellHost(name, detail);
  }

  #followAddress() {
    if (!this.hasAttribute("address") || !this.#timeline) return;
    const { step, eye } = readAddress(location.hash);
    if (eye !== null && eye !== this.#eye && this.#eyes.includes(eye)) this.#load(eye, step ?? this.step);
    else if (step !== null && step !== this.step) this.#actions.goToStep(step);
  }

  #press(event) {
    if (this.#timeline && this.#layout.usable) press(event, this.#actions);
  }

  #linkTo(step) {
    return stepLink(this.getAttribute("link"), step, this.#eye);
  }

  /** A link to a step. A plain click goes there; with a modifier the browser opens it like any other link. */
  #stepLink(step, children) {
    const onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      this.#actions.goToStep(step);
    };
    return h("a", { href: this.#linkTo(step), onclick }, children);
  }
}

function sourceOf(documents, template) {
  if (documents) return new EmbeddedDocuments(documents);
  return template ? new RemoteDocuments(template) : null;
}

customElements.define("roost-match", RoostMatch);
