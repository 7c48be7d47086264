/** Draws a rating over time with its interval, by uPlot. */

const HEIGHT = 300;

/** A colour of the design system. */
function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const MINUTE = 60;
const DAY = 86_400;

/** Times below the curve: the day where days pass between them, otherwise the time of day. */
function moments(_, splits, __, ___, step) {
  const form = step >= DAY ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const words = new Intl.DateTimeFormat("en-GB", step < MINUTE ? { ...form, second: "2-digit" } : form);
  return splits.map((second) => words.format(second * 1000));
}

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });

function axes() {
  const line = { stroke: token("--soft"), grid: { stroke: token("--line"), width: 1 }, ticks: { stroke: token("--line") } };
  return [{ ...line, values: moments, space: 70 }, { ...line, size: 56, values: (_, splits) => splits.map(String) }];
}

function options(width) {
  const whole = (_, value) => (value == null ? "–" : value.toFixed(0));
  return {
    width,
    height: HEIGHT,
    cursor: { drag: { x: true, y: false } },
    axes: axes(),
    series: [
      { label: "at", value: (_, second) => (second == null ? "–" : moment.format(second * 1000)) },
      { label: "rating", stroke: token("--accent"), width: 2, value: whole, points: { show: false } },
      { label: "low", stroke: "transparent", value: whole, points: { show: false } },
      { label: "high", stroke: "transparent", value: whole, points: { show: false } },
    ],
    bands: [{ series: [3, 2], fill: token("--whisker") + "55" }],
  };
}

function draw(place) {
  const data = JSON.parse(place.dataset.curve);
  place.replaceChildren();
  const chart = new window.uPlot(options(place.clientWidth), data, place);
  new ResizeObserver(() => {
    if (place.clientWidth) chart.setSize({ width: place.clientWidth, height: HEIGHT });
  }).observe(place);
}

function drawAll() {
  document.querySelectorAll("[data-curve]").forEach(draw);
}

drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
