// The table: loads the board of a game, shows frames on it, and lets readers point at cards with mouse or keys.

import { h, narration } from "./elements.js";
import { boardStyles } from "./style.js";

const GAME_NAME = /^[a-z][a-z0-9_]*$/;

/** The module that draws a game, which has its name; `null` if this viewer has none. */
async function boardOf(game) {
  if (!GAME_NAME.test(game)) return null;
  const module = await import(`./boards/${game}.js`).catch(() => null);
  return module?.createBoard ? module : null;
}

const sheets = new Map();

/** The sheet of these styles, made once for all viewers of a page. */
function sheetOf(styles) {
  if (!sheets.has(styles)) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    sheets.set(styles, sheet);
  }
  return sheets.get(styles);
}

export class Stage {
  #board = null;
  #table = h("div", { class: "table", role: "group", "aria-label": "Table" });
  /** The board has a shadow root of its own, so that its style and that of the viewer do not meet. */
  #shadow = this.#table.attachShadow({ mode: "open" });
  #title = h("p", { class: "stage-title" });
  #said = h("div", { class: "stage-said" });
  #heading = h("div", { class: "stage-heading", hidden: true }, this.#title, this.#said);
  #pointed;

  /** @param {(thing: {place: string, card: string, copy: number, label: string}) => void} pointed when a card is chosen */
  constructor(pointed) {
    this.#pointed = pointed;
    this.root = h("div", { class: "stage" }, this.#heading, this.#table);
    this.#shadow.addEventListener("click", (event) => this.#choose(event.target));
    this.#shadow.addEventListener("keydown", (event) => this.#press(event));
  }

  /** Makes the board for `document`. */
  async load(document) {
    const module = await boardOf(document.game);
    this.close();
    const root = h("div", {});
    this.#shadow.replaceChildren(root);
    this.#shadow.adoptedStyleSheets = [sheetOf(boardStyles), ...(module ? [sheetOf(module.styles)] : [])];
    if (module) this.#board = module.createBoard(root, document);
    else root.append(h("p", { class: "missing" }, `This viewer cannot draw the game ${document.game}. The moves are listed in words.`));
  }

  /** Shows `frame`; `ms` is the time for motion from `previous`. */
  show(frame, previous, ms) {
    const focused = this.#focused();
    this.#board?.show(frame, previous, { ms });
    this.#said.replaceChildren(...narration(frame));
    this.#prepareCards(focused);
  }

  /** Names the match above its table, where there are two; `null` where there is one. */
  setTitle(text) {
    this.#title.textContent = text ?? "";
    this.#heading.hidden = text === null;
  }

  /** The position in words. */
  describe(frame) {
    return this.#board?.describe(frame) ?? "";
  }

  close() {
    this.#board?.close?.();
    this.#board = null;
  }

  get #cards() {
    return [...this.#shadow.querySelectorAll("[data-card]")];
  }

  #focused() {
    const active = this.#shadow.activeElement;
    return active?.dataset.card ? this.#named(active) : null;
  }

  /** A card by its name, its place, and which of its like it is there. */
  #named(element) {
    const { place, card } = element.dataset;
    return { place, card, copy: this.#alike(place, card).indexOf(element), label: element.getAttribute("aria-label") ?? card };
  }

  #alike(place, card) {
    return this.#cards.filter((element) => element.dataset.place === place && element.dataset.card === card);
  }

  /** One card of the table is in the order of Tab; arrow keys move between them. */
  #prepareCards(focused) {
    const cards = this.#cards;
    const kept = focused && (this.#alike(focused.place, focused.card)[focused.copy] ?? cards[0]);
    const entry = kept || cards.find((element) => element.tabIndex === 0) || cards[0];
    for (const element of cards) {
      element.setAttribute("role", "button");
      element.setAttribute("tabindex", element === entry ? "0" : "-1");
    }
    if (kept) kept.focus({ preventScroll: true });
  }

  #choose(target) {
    const element = target.closest?.("[data-card]");
    if (element) this.#pointed(this.#named(element));
  }

  #press(event) {
    const cards = this.#cards;
    const at = cards.indexOf(event.target);
    if (at < 0) return;
    const goal = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1 }[event.key];
    if (goal !== undefined) this.#moveTo(cards[(goal + cards.length) % cards.length], cards[at]);
    else if (event.key === "Enter" || event.key === " ") this.#choose(event.target);
    else return;
    event.preventDefault();
  }

  #moveTo(card, from) {
    from.setAttribute("tabindex", "-1");
    card.setAttribute("tabindex", "0");
    card.focus();
  }
}
