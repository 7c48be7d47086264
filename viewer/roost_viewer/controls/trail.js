// The way of a card through the match: its stations as links, and the way back to where the reader was.

import { h, iconButton } from "../elements.js";
import { placeName, trail } from "../tracking.js";

/** @param {object} actions `goToStep` and `stepLink` are used */
export function createTrail(actions) {
  const root = h("div", { class: "trail", role: "status", hidden: true });
  const hide = () => (root.hidden = true);

  /**
   * Goes to where a thing came to its place; from there to where it was before, or else where it goes next.
   * @param {{place: string, card: string, copy: number, label: string}} thing
   * @param {object[]} frames those of the match in which it is
   * @param {number} index the frame that is shown
   */
  function follow({ place, card, copy, label }, frames, index) {
    const stations = trail(frames, index, place, card, copy);
    const goal = goalOf(stations, index);
    const { step } = frames[index];
    actions.goToStep(frames[goal].step);
    const links = stations.map((station) => h("li", {}, stationLink(station, goal, frames)));
    const back = goal === index ? [] : [actions.stepLink(step, `Back to step ${step}`)];
    root.replaceChildren(h("b", {}, label), h("ol", {}, links), ...back, iconButton("bad", "Close", hide));
    root.hidden = false;
  }

  function stationLink({ index, place }, current, frames) {
    const { step } = frames[index];
    const link = actions.stepLink(step, `${placeName(place)}, step ${step}`);
    if (index === current) link.setAttribute("aria-current", "step");
    return link;
  }

  return { root, follow, hide };
}

function goalOf(stations, index) {
  const here = stations.findIndex((station) => station.here);
  if (stations[here].index !== index) return stations[here].index;
  return (stations[here - 1] ?? stations[here + 1] ?? stations[here]).index;
}
