// The head of the viewer: the game, how the match stands or ended, and whose eyes look.

import { botName, h, icon, isolated } from "./elements.js";

const VARIANTS = { slap: "with slapping" };
const ENDINGS = {
  finished: "Finished",
  horizon: "Ended at the limit of turns",
  forfeit: "Ended by forfeit",
  voided: "Voided",
};

/** The game and its variant in words. */
export function gameName({ game, title, variant }) {
  const name = title ?? game;
  return variant && variant !== "standard" ? `${name}, ${VARIANTS[variant] ?? variant}` : name;
}

/** The match in one line, as the name of the viewer. */
export function matchName(document) {
  const bots = document.seats.map(({ bot }, number) => (bot ? isolated(bot) : `seat ${number}`));
  return `${gameName(document)}: ${bots.join(", ")}`;
}

/** @param {{setEye: (eye: string) => void, goLast: () => void}} actions */
export function createHead(actions) {
  const title = h("p", { class: "game" });
  const status = h("div", { class: "status" });
  const result = h("ol", { class: "result" });
  const eyes = h("fieldset", { class: "eyes" });
  const root = h("header", { class: "head" }, h("div", { class: "names" }, title, status), result, eyes);
  return {
    root,
    load({ document, eye, eyes: offered }) {
      title.textContent = gameName(document);
      result.replaceChildren(...standing(document));
      result.hidden = !document.result;
      eyes.replaceChildren(h("legend", {}, icon("eye"), "Eyes"), ...offered.map((one) => eyeChoice(one, eye, document, actions)));
      eyes.hidden = offered.length < 2;
    },
    update: (state) => status.replaceChildren(...statusOf(state, actions)),
  };
}

/** The seats by place. */
function standing({ result, seats }) {
  if (!result) return [];
  const places = result.places.length ? result.places : seats.map(() => null);
  const order = seats.map((_, seat) => seat).sort((a, b) => places[a] - places[b] || a - b);
  return order.map((seat) => placed(seat, places[seat], result, seats));
}

function placed(seat, place, { scores, forfeits }, seats) {
  const score = scores.length ? h("span", { class: "score" }, String(scores[seat])) : null;
  const forfeit = forfeits?.includes(seat) ? h("span", { class: "badge forfeit" }, icon("forfeit"), "forfeit") : null;
  const number = h("span", { class: `seat-number n${seat}`, title: `seat ${seat}` }, String(seat));
  const rank = place === null ? null : h("span", { class: "place" }, `${place}.`);
  return h("li", {}, rank, number, botName(seats[seat], seat), score, forfeit);
}

/** Live, behind, or how the match ended. */
function statusOf({ document, live, behind, connected }, actions) {
  if (document.result) return [ending(document.result)];
  if (!live) return [h("span", { class: "badge" }, "Not finished")];
  if (!connected) return [h("span", { class: "badge" }, "Connecting again …")];
  if (!behind) return [h("span", { class: "badge live" }, "Live")];
  const text = `${behind} ${behind === 1 ? "step" : "steps"} behind`;
  return [h("span", { class: "badge" }, text), h("button", { type: "button", class: "plain strong", onclick: actions.goLast }, "Go live")];
}

function ending({ termination, reason }) {
  const said = ENDINGS[termination] ?? termination;
  return h("span", { class: `badge ${termination}` }, reason ? `${said}: ${reason}` : said);
}

const EYES = { open: ["Open", "Everything open"], spectator: ["Spectator", "A spectator's eyes"] };

function eyeChoice(eye, chosen, { seats }, actions) {
  const bot = seats[eye]?.bot;
  const [text, title] = EYES[eye] ?? [`Seat ${eye}`, `What seat ${eye}${bot ? ` (${isolated(bot)})` : ""} saw`];
  const input = h("input", { type: "radio", name: "eye", value: eye, onchange: () => actions.setEye(eye), "aria-label": title });
  input.checked = eye === chosen;
  return h("label", { title }, input, h("span", { class: eye in EYES ? "" : `seat n${eye}` }, text));
}
