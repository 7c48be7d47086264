// How the viewer looks. The tokens have the values of the ladder's report; `light-dark()` follows the `color-scheme` of
// the page around the viewer, so that a page needs nothing else to switch it.

/** The tokens that boards use too: [light, dark]. */
export const TOKENS = {
  paper: ["#faf8f4", "#16171a"],
  card: ["#ffffff", "#1e2024"],
  ink: ["#23201b", "#ece8e1"],
  soft: ["#6f685d", "#9b958b"],
  line: ["#e8e3da", "#30333a"],
  faint: ["#f3efe8", "#25282d"],
  accent: ["#c2410c", "#fb8c5a"],
  good: ["#1d6fa5", "#5fb0e6"],
  bad: ["#c2410c", "#fb8c5a"],
  c0: ["#c2410c", "#fb8c5a"],
  c1: ["#1d6fa5", "#5fb0e6"],
  c2: ["#2f8f5b", "#67c995"],
  c3: ["#b7791f", "#e8b84f"],
  c4: ["#7c4dbe", "#b494f0"],
  c5: ["#0d9488", "#4fd1c5"],
  c6: ["#be185d", "#f47bb0"],
  c7: ["#4d5d74", "#a3b1c6"],
};

const SEATS = [0, 1, 2, 3, 4, 5, 6, 7];
/** The pattern of each seat's line, so that lines differ without colour. */
const DASHES = ["none", "7 4", "2 3", "10 3 2 3", "14 4", "5 2", "1 4", "8 2 2 2 2 2"];

const tokens = Object.entries(TOKENS).map(([name, [light, dark]]) => `--${name}: light-dark(${light}, ${dark});`);
const seats = SEATS.map((seat) => `.n${seat} { --seat: var(--c${seat}); } .curve.n${seat} { stroke-dasharray: ${DASHES[seat]}; }`);

/** What every board begins with. */
export const boardStyles = `
* { box-sizing: border-box; }
[hidden] { display: none !important; }
[data-card] { cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.missing { margin: 0; padding: 40px 20px; text-align: center; color: var(--soft); }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
`;

export const styles = `
:host {
  ${tokens.join(" ")}
  display: block; container-type: inline-size; color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
:host([hidden]) { display: none; }
:host([data-theme="dark"]) { color-scheme: dark; }
:host([data-theme="light"]) { color-scheme: light; }
${seats.join("\n")}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
p, ol, ul, dl, dd { margin: 0; padding: 0; }
ol, ul { list-style: none; }
a { color: var(--accent); text-decoration: none; }
a:hover, .soft a { text-decoration: underline; }
code { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
bdi { unicode-bidi: isolate; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.soft { color: var(--soft); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.bot { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 14em; }
.title { font-weight: 600; }

.viewer { position: relative; background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow: clip; }
.viewer.busy .body { opacity: .6; transition: opacity .2s .3s; }
.message { padding: 48px 24px; text-align: center; color: var(--soft); }
.message.error { color: var(--ink); }
.message .plain { margin-top: 14px; }

.head { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 18px; padding: 12px 18px; border-bottom: 1px solid var(--line); }
.head:has(.game:empty) { display: none; }
.names, .status { display: flex; align-items: center; gap: 10px; flex-wrap: wrap; }
.game { font-size: 17px; font-weight: 650; letter-spacing: -.01em; }
.result { display: flex; flex-wrap: wrap; gap: 4px 16px; min-width: 0; }
.result li { display: flex; align-items: center; gap: 6px; min-width: 0; }
.place { color: var(--soft); font-variant-numeric: tabular-nums; }
.score { font-weight: 650; font-variant-numeric: tabular-nums; }
.seat-number {
  flex: none; min-width: 18px; height: 18px; padding: 0 4px; border-radius: 9px; font-size: 12px; line-height: 18px; text-align: center;
  font-weight: 650; color: var(--card); background: var(--seat);
}
.badge {
  display: inline-flex; align-items: center; gap: 4px; padding: 1px 8px; border-radius: 99px; font-size: 12px; line-height: 18px; white-space: nowrap;
  color: var(--ink); background: var(--faint); border: 1px solid var(--line);
}
.badge .icon { width: 13px; height: 13px; stroke-width: 2.4; }
.badge.fault, .badge.forfeit, .badge.voided { border-color: var(--bad); color: var(--bad); background: none; font-weight: 600; }
.badge.live { color: var(--card); background: var(--accent); border-color: var(--accent); font-weight: 650; }
.badge.live::before { content: ""; width: 7px; height: 7px; border-radius: 50%; background: currentColor; animation: pulse 1.6s infinite; }
@keyframes pulse { 50% { opacity: .25; } }

.eyes { display: flex; flex-wrap: wrap; flex: none; max-width: 100%; align-items: center; gap: 2px; margin: 0 0 0 auto; padding: 2px; border: 0; border-radius: 10px; background: var(--faint); min-width: 0; }
.eyes legend { float: left; display: flex; align-items: center; gap: 5px; padding: 0 6px 0 8px; color: var(--soft); font-size: 13px; }
.eyes label { position: relative; display: block; cursor: pointer; }
.eyes input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer; }
.eyes span { display: block; padding: 3px 10px; border-radius: 8px; font-size: 13.5px; border: 1px solid transparent; }
.eyes .seat::before { content: ""; display: inline-block; width: 8px; height: 8px; border-radius: 50%; margin-right: 6px; background: var(--seat); }
.eyes label:hover span { background: var(--card); }
.eyes input:checked + span { background: var(--card); border-color: var(--line); font-weight: 600; box-shadow: 0 1px 2px rgb(0 0 0 / .08); }
.eyes input:focus-visible + span { outline: 2px solid var(--accent); }

.body { display: grid; grid-template-columns: minmax(0, 1fr); }
.main { display: flex; flex-direction: column; min-width: 0; }
.stages { display: grid; grid-template-columns: minmax(0, 1fr); background: var(--paper); }
.stage { min-width: 0; }
.stage + .stage { border-top: 1px solid var(--line); }
.stage-heading { padding: 8px 14px; font-size: 13.5px; }
.paired .caption { min-height: 0; }
.paired .caption .said { display: none; }
.stage-title { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.comparison { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; padding: 10px 18px; border-bottom: 1px solid var(--line); font-size: 14px; }
.comparison ul { flex: 1 1 100%; color: var(--soft); display: grid; grid-template-columns: 1fr 1fr; gap: 2px 20px; }

.trail { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding: 6px 12px 6px 18px; border-top: 1px solid var(--line); font-size: 13.5px; background: var(--faint); }
.trail ol { display: flex; flex-wrap: wrap; gap: 2px 6px; }
.trail li + li::before { content: "→ "; color: var(--soft); }
.trail [aria-current] { color: var(--ink); font-weight: 600; }
.trail .tool { margin-left: auto; }

.dock { position: var(--dock, sticky); bottom: 0; z-index: 1; background: var(--card); border-top: 1px solid var(--line); }
.caption { padding: 10px 18px 2px; min-height: 84px; }
.where { color: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums; }
.caption .said { font-size: 16px; }
.line { display: block; }
.line::first-letter { text-transform: uppercase; }
.line.follows { color: color-mix(in srgb, var(--ink) 70%, var(--soft)); }
.role-seat { font-weight: 600; text-decoration: underline; text-decoration-color: var(--seat); text-decoration-thickness: 2px; text-underline-offset: 3px; }
.role-card { padding: 0 4px; border: 1px solid var(--seat, var(--line)); border-radius: 4px; white-space: nowrap; }
.role-strong { font-weight: 650; }
.role-worm { color: var(--accent); font-weight: 650; }
.worms { position: relative; white-space: nowrap; margin-left: 2px; }
.worms .icon { display: inline-block; width: .95em; height: .95em; stroke-width: 3.2; vertical-align: -.1em; }
.role-dim { color: var(--soft); font-style: italic; }
.role-notice { font-weight: 650; text-decoration: underline dotted; text-underline-offset: 3px; }
.role-fault { color: var(--bad); font-weight: 650; }

.scrubber { padding: 0 18px; }
.signs { position: relative; height: 20px; margin: 0 8px; }
.sign {
  position: absolute; bottom: 0; left: calc(var(--at) * 100%); transform: translateX(-50%); width: 16px; height: 20px; padding: 0 0 2px; border: 0;
  background: none; color: var(--soft); cursor: pointer;
}
.sign:hover { color: var(--ink); transform: translateX(-50%) scale(1.35); }
.sign .icon { width: 14px; height: 14px; stroke-width: 2.6; }
.sign.fault, .sign.forfeit { color: var(--bad); z-index: 1; }
.sign.fault .icon { stroke-width: 4; }
.sign.steal, .sign.slap, .sign.suspicion { color: var(--c1); }
.sign.lead, .sign.closed { color: var(--c2); }
.sign.swing, .sign.spoiled { color: var(--c4); }
input[type="range"] { appearance: none; display: block; width: 100%; height: 22px; margin: 0; background: none; cursor: pointer; }
input[type="range"]::-webkit-slider-runnable-track {
  height: 6px; border-radius: 3px;
  background: linear-gradient(to right, var(--accent) calc(8px + var(--done, 0) * (100% - 16px)), var(--line) 0);
}
input[type="range"]::-moz-range-track { height: 6px; border-radius: 3px; background: var(--line); }
input[type="range"]::-moz-range-progress { height: 6px; border-radius: 3px; background: var(--accent); }
input[type="range"]::-webkit-slider-thumb {
  appearance: none; width: 16px; height: 16px; margin-top: -5px; border-radius: 50%; background: var(--card); border: 3px solid var(--accent);
}
input[type="range"]::-moz-range-thumb { width: 10px; height: 10px; border-radius: 50%; background: var(--card); border: 3px solid var(--accent); }

.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; padding: 6px 14px 14px; }
.group { display: flex; align-items: center; gap: 2px; }
.group.end { margin-left: auto; gap: 6px; }
button, select { font: inherit; color: inherit; }
.tool { display: grid; place-items: center; width: 36px; height: 36px; padding: 0; border: 0; border-radius: 9px; background: none; cursor: pointer; }
.tool:hover { background: var(--faint); }
.tool[aria-disabled="true"] { color: color-mix(in srgb, var(--soft) 55%, var(--card)); cursor: default; background: none; }
.tool.play { background: var(--accent); color: var(--card); border-radius: 50%; width: 42px; height: 42px; margin: 0 4px; }
.tool.play:hover { filter: brightness(1.08); }
.icon { width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.tool.play .icon-play, .icon-first, .icon-last { fill: currentColor; }
.tool.play .icon-pause { stroke-width: 4; }
.speed { gap: 8px; color: var(--soft); font-size: 13.5px; }
select { height: 36px; padding: 0 8px; border: 1px solid var(--line); border-radius: 9px; background: var(--card); color: var(--ink); font-size: 14px; cursor: pointer; }
.plain { display: inline-flex; align-items: center; gap: 7px; min-height: 36px; padding: 0 13px; border: 1px solid var(--line); border-radius: 9px; background: var(--card); font-size: 14px; cursor: pointer; }
.plain:hover { background: var(--faint); }
.plain .icon { width: 17px; height: 17px; }
.plain.strong { background: var(--accent); border-color: var(--accent); color: var(--card); font-weight: 600; }
.plain.strong:hover { filter: brightness(1.08); }
.plain:disabled { background: var(--faint); border-color: var(--line); color: var(--soft); cursor: default; filter: none; }
.status .plain { min-height: 28px; }

.panels { display: flex; flex-direction: column; min-width: 0; min-height: 0; border-top: 1px solid var(--line); }
.tabs { display: flex; flex: none; overflow-x: auto; padding: 0 8px; border-bottom: 1px solid var(--line); scrollbar-width: none; }
.tabs button { flex: 0 0 auto; min-width: 68px; padding: 10px 8px; border: 0; border-bottom: 2px solid transparent; background: none; color: var(--soft); font-size: 14px; cursor: pointer; }
.tabs button:hover { color: var(--ink); }
.tabs button[aria-selected="true"] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.tabs button:focus-visible { outline-offset: -3px; }
.panel { flex: 1; min-height: 0; display: flex; }
.panel > .scroll { flex: 1; min-width: 0; max-height: 420px; overflow-y: auto; padding: 8px 0; position: relative; }
.panel > .scroll:focus-visible { outline-offset: -3px; }
.panel > .scroll > .soft, .deal > *, .charts > * { margin: 8px 16px; }

.moves .heading { padding: 12px 16px 4px; color: var(--soft); font-size: 12px; font-weight: 650; letter-spacing: .08em; text-transform: uppercase; }
.moves a { display: grid; grid-template-columns: 2.2em minmax(0, 1fr) auto; gap: 10px; padding: 5px 16px 5px 12px; color: inherit; font-size: 14px; line-height: 1.45; border-left: 3px solid transparent; }
.moves a:hover { background: var(--faint); text-decoration: none; }
.moves a:focus-visible { outline-offset: -3px; }
.moves a[aria-current] { background: var(--faint); border-left-color: var(--accent); }
.moves .number, .ms { color: var(--soft); font-size: 12.5px; font-variant-numeric: tabular-nums; text-align: right; line-height: 20px; }
.moves .said { overflow-wrap: anywhere; }
.badges { display: flex; flex-wrap: wrap; gap: 4px; padding: 3px 0; }
.badge.steal, .badge.slap, .badge.suspicion { border-color: var(--c1); }
.badge.lead, .badge.closed { border-color: var(--c2); }
.badge.swing, .badge.spoiled { border-color: var(--c4); }

.charts section { margin-bottom: 24px; }
.chart { position: relative; }
.chart svg { display: block; width: 100%; overflow: visible; cursor: crosshair; }
.points svg { height: 180px; border-bottom: 1px solid var(--line); border-left: 1px solid var(--line); }
.points { padding: 8px 0 0 26px; }
.scale { position: absolute; inset: 8px auto 0 0; width: 22px; display: flex; flex-direction: column; justify-content: space-between; font-size: 12px; text-align: right; color: var(--soft); font-variant-numeric: tabular-nums; }
.times svg { height: 46px; border-bottom: 1px solid var(--line); }
.curve { fill: none; stroke: var(--seat); stroke-width: 2.5; vector-effect: non-scaling-stroke; }
.zero { stroke: var(--line); vector-effect: non-scaling-stroke; }
.cursor { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 3 3; vector-effect: non-scaling-stroke; opacity: .6; }
.time { fill: var(--seat); }
.time.fallback { fill: none; stroke: var(--bad); stroke-width: 2; vector-effect: non-scaling-stroke; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-top: 10px; font-size: 13.5px; }
.legend li { display: flex; align-items: center; gap: 6px; min-width: 0; }
.sample { width: 36px; height: 6px; flex: none; }
.lane { margin-top: 12px; }
.lane p { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 8px; font-size: 13.5px; }

.position p { padding: 3px 16px; font-size: 14px; }
.position p:first-child { padding-bottom: 10px; font-weight: 600; }
.facts div { margin-bottom: 8px; }
.facts dt { color: var(--soft); font-size: 13px; }
.verdict { display: flex; align-items: center; gap: 10px; padding: 10px 14px; border-radius: 10px; border: 1px solid var(--good); font-weight: 650; }
.verdict.bad { border-color: var(--bad); }
.findings ul { margin-top: 12px; }
.findings li { display: flex; gap: 10px; margin-bottom: 10px; font-size: 14px; }
.findings .icon { flex: none; }
.findings .good > .icon { color: var(--good); stroke-width: 3; }
.findings .bad > .icon { color: var(--bad); stroke-width: 3; }
.findings li p { font-size: 13px; overflow-wrap: anywhere; }

.help { width: min(560px, calc(100vw - 24px)); padding: 20px 24px; border: 1px solid var(--line); border-radius: 14px; background: var(--card); color: var(--ink); }
.help::backdrop { background: rgb(0 0 0 / .45); }
.help .title { font-size: 18px; }
.help dl { columns: 2 210px; margin: 12px 0; }
.help dl div { display: flex; gap: 10px; padding: 3px 0; break-inside: avoid; }
.help dt { flex: none; width: 70px; }
.help .foot { display: flex; align-items: center; justify-content: space-between; gap: 12px; margin-top: 16px; font-size: 13px; }
.help label { display: block; margin-top: 10px; }
kbd { padding: 1px 7px; border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 5px; background: var(--faint); font: 600 12.5px/1.5 system-ui, sans-serif; white-space: nowrap; }

:host([embed]) .side { display: none; }
:host([embed]) .viewer .body { grid-template-columns: minmax(0, 1fr); }
:host([embed]) .caption { min-height: 62px; }
a.plain { color: inherit; }
a.plain:hover { text-decoration: none; }
@container (min-width: 940px) {
  .viewer:not(.paired) .body { grid-template-columns: minmax(0, 1fr) 360px; }
  .viewer:not(.paired) .side { border-left: 1px solid var(--line); contain: size; }
  .viewer:not(.paired) .panels { position: sticky; top: 0; height: 100%; max-height: 100vh; border-top: 0; }
  .viewer:not(.paired) .panel > .scroll { max-height: none; }
}
@container (min-width: 700px) {
  .stages:has(.stage + .stage:not([hidden])) { grid-template: auto 1fr / minmax(0, 1fr) minmax(0, 1fr); }
  .paired .stage { display: grid; grid-template-rows: subgrid; grid-row: span 2; }
  .paired .stage-heading { min-height: 7.5em; }
  .stages .stage + .stage { border-top: 0; border-left: 1px solid var(--line); }
}
@container (max-width: 560px) {
  .head { padding: 10px 12px; }
  .eyes { margin-left: 0; }
  .eyes span { padding: 3px 8px; }
  .caption { padding: 8px 12px 4px; }
  .scrubber { padding: 0 8px; }
  .dock { bottom: -88px; }
  .caption { min-height: 62px; }
  .caption .said { font-size: 15px; max-height: 7.5em; overflow-y: auto; }
  .bar { padding: 4px 8px 12px; gap: 8px; }
  .steps { width: 100%; justify-content: space-between; }
  .steps .tool { flex: 0 1 42px; height: 42px; }
  .steps .tool.play { flex: none; width: 50px; height: 50px; margin: 0; }
  .speed > span { display: none; }
  .speed, .speed select { flex: 1 1 84px; min-width: 0; }
  .bar select { padding: 0 2px; font-size: 13.5px; }
  .tabs button { flex: 1 0 auto; min-width: 0; padding: 10px 6px; }
  .goals { flex: 2 1 180px; min-width: 0; }
  .goals select { flex: 1; min-width: 0; }
  .group.end { margin: 0; width: 100%; justify-content: space-between; }
  .comparison ul { grid-template-columns: 1fr; }
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
@media (max-height: 560px) { .dock { position: static; } }
@media (forced-colors: active) { .seat-number, .plain.strong, .tool.play { border: 1px solid; } }
`;
