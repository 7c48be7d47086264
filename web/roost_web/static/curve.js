/** Draws a rating over time with its interval, by uPlot. */

const HEIGHT = 300;

/** A colour of the design system. */
function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axes() {
  const line = { stroke: token("--soft"), grid: { stroke: token("--line"), width: 1 }, ticks: { stroke: token("--line") } };
  return [{ ...line }, { ...line, size: 56 }];
}

function options(width) {
  const whole = (_, value) => (value == null ? "–" : value.toFixed(0));
  return {
    width,
    height: HEIGHT,
    cursor: { drag: { x: true, y: false } },
    axes: axes(),
    series: [
      {},
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
