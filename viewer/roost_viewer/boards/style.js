/** How tables look, by day and by night, from a phone to a wide screen. The element adopts it as a style sheet. */

export const tableStyles = `
.board {
  container: board / inline-size; --quiet: light-dark(#5c554b, #b8b1a6); --felt: light-dark(#e8eee1, #1c2420);
  --panel: light-dark(#fffdf9, #25292c); --rim: light-dark(#d5dccb, #36403a);
  --paper-ground: light-dark(#fffdf7, #efe8da); --paper-line: light-dark(#9b8f7b, #14110d);
  --back-ground: light-dark(#a3412a, #8c3a27); --back-line: light-dark(#5e2113, #14110d);
  --tile-ground: light-dark(#fdf1d8, #ecdcb8); --tile-line: light-dark(#8d7a5c, #14110d);
  --tile-side: light-dark(#c9ae7c, #a3895a); --ring: light-dark(#b03404, #ffb48f); color: var(--ink); font-size: 14px;
  line-height: 1.3; font-variant-numeric: tabular-nums;
}
.board *, .board *::before, .board *::after { box-sizing: border-box; }
.felt {
  --card-width: clamp(34px, 10.5cqi, 46px); --tile-width: clamp(30px, 9cqi, 40px);
  --die-width: clamp(30px, 9cqi, 46px); display: grid; gap: 10px; padding: 10px; border-radius: 18px;
  background: var(--felt); border: 1px solid var(--rim);
}
.board svg { display: block; width: auto; overflow: visible; }
.board .printed {
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-weight: 750;
}
.board .hidden {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}

/* Seats: s0 to s7 have the colours of the page's series, always with their number. */
.s0 { --seat: var(--c0); }
.s1 { --seat: var(--c1); }
.s2 { --seat: var(--c2); }
.s3 { --seat: var(--c3); }
.s4 { --seat: var(--c4); }
.s5 { --seat: var(--c5); }
.s6 { --seat: var(--c6); }
.s7 { --seat: var(--c7); }
.seat {
  container: seat / inline-size; min-width: 0; background: var(--panel); border-radius: 14px; padding: 8px 10px 10px;
  border: 1px solid var(--rim); border-left: 5px solid var(--seat); position: relative;
}
.seat.deciding { box-shadow: 0 0 0 2.5px var(--ring); }
.head { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: 7px; align-items: center; }
.line { display: flex; gap: 7px; align-items: center; min-width: 0; min-height: 21px; }
.chip { flex: none; width: 42px; }
.chip svg { width: 42px; height: 40px; }
.head .chip { grid-row: 1 / 3; align-self: start; }
.chip.small { width: 25px; }
.chip.small svg { width: 25px; height: 24px; }
.badge { fill: var(--panel); stroke: var(--seat); }
.badge-ink { fill: var(--ink); }
.name { unicode-bidi: isolate; font-weight: 650; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.eye { width: 18px; height: 13px; flex: none; }
.points { margin-left: auto; font-weight: 650; white-space: nowrap; }
.tags { flex: 1; min-width: 0; display: flex; flex-wrap: wrap; gap: 3px 4px; }
.tag {
  display: inline-flex; align-items: center; gap: 4px; padding: 1px 8px; border-radius: 10px; font-size: 12px;
  font-weight: 600; border: 1px solid var(--rim); background: var(--felt); color: var(--ink); max-width: 100%;
}
.tag svg { width: 10px; height: 10px; flex: none; }
.tag.place svg { width: 17px; height: 12px; }
.tag.decides { background: var(--ring); border-color: var(--ring); color: light-dark(#fff, #23120a); }
.tag.did { border-style: dashed; border-color: var(--quiet); background: none; }
.tag.fault { background: light-dark(#5a1206, #ffd9cc); border-color: transparent; color: light-dark(#fff, #4a1206); }
.sign { fill: currentColor; }
.sign-line { stroke: currentColor; }
@container seat (max-width: 240px) {
  .chip:not(.small), .chip:not(.small) svg { width: 34px; height: 32px; }
  .head { column-gap: 5px; }
  .points { font-size: 13px; }
}

/* Parts of the table. */
.zones { display: flex; flex-wrap: wrap; gap: 8px 14px; margin-top: 8px; }
.zone { min-width: 0; position: relative; }
.caption {
  display: block; font-size: 11.5px; color: var(--quiet); font-weight: 600; margin-bottom: 3px; white-space: nowrap;
}
.bare { display: flex; align-items: center; color: var(--quiet); font-size: 12.5px; font-style: italic; }
.sided { display: grid; grid-template-columns: 46px minmax(0, 1fr); column-gap: 6px; align-items: center; }
.side { display: flex; flex-direction: column; align-items: center; text-align: center; line-height: 1.15; }
.side b { font-size: 20px; font-weight: 750; }
.side span { font-size: 11px; font-weight: 600; color: var(--quiet); }
.row { display: flex; min-width: 0; padding-right: 2px; }
.slot { flex: 0 1 calc(var(--width) + 4px); min-width: 9px; height: var(--height); position: relative; }
.slot:last-child { flex: none; width: var(--width); }
.cards, .card { --width: var(--card-width); --height: calc(var(--card-width) * 1.4); }
.tiles, .tile { --width: var(--tile-width); --height: calc(var(--tile-width) * 1.5834); }
.dies, .die { --width: var(--die-width); --height: var(--die-width); }
.board svg.piece, .board svg.heap { width: var(--width); height: var(--height); position: relative; }
.small-tile { --width: max(23px, calc(var(--tile-width) * 0.54)); --height: calc(var(--width) * 1.2083); }
.heaped { display: flex; gap: 5px; align-items: flex-start; min-width: 0; min-height: 61px; }
.heaped > .tile { flex: none; }
.under { display: flex; flex-wrap: wrap; gap: 3px; min-width: 0; }
.drawn { outline: 2px dashed var(--quiet); outline-offset: 1px; border-radius: calc(var(--width) / 7); }
.fresh { outline: 3px solid var(--ring); outline-offset: 1px; border-radius: calc(var(--width) / 7); z-index: 1; }

/* What is printed. */
.paper { fill: var(--paper-ground); stroke: var(--paper-line); }
.back { fill: var(--back-ground); stroke: var(--back-line); }
.back-frame { fill: none; stroke: #f0c8a8; }
.tile-face { fill: var(--tile-ground); stroke: var(--tile-line); }
.tile-edge { fill: var(--tile-side); stroke: var(--tile-line); stroke-width: 1.4; }
.tile-back { fill: light-dark(#8b6a45, #6d5336); stroke: var(--tile-line); }
.tile-back-ink { fill: #fff3dc; }
.tile-back-cross { stroke: #f0d9b4; }
.die-face { fill: var(--paper-ground); stroke: var(--paper-line); }
.die-edge { fill: light-dark(#cfc5b2, #a89d88); stroke: var(--paper-line); stroke-width: 1.6; }
.heap-edge { fill: light-dark(#e7dcc8, #57503f); stroke: var(--tile-line); }
.empty { fill: none; stroke: var(--quiet); }

/* The middle. */
.middle {
  display: flex; flex-wrap: wrap; gap: 10px 16px; align-items: stretch; justify-content: center; min-width: 0;
}
.grill {
  flex: 1 1 260px; border-radius: 14px; padding: 7px 14px 12px; color: #fff; border: 3px solid #17130f;
  background:
    repeating-linear-gradient(90deg, #2a2420 0 5px, transparent 5px 16px),
    radial-gradient(ellipse 40% 90% at 22% 105%, #f08a2c 0, #c9481288 45%, transparent 75%),
    radial-gradient(ellipse 45% 80% at 76% 110%, #f2a03a 0, #c9481288 40%, transparent 75%),
    linear-gradient(#241009, #5e2109);
}
.grill .caption, .grill .bare {
  color: #fff; display: inline-block; background: #17130f; border-radius: 999px; padding: 0 9px;
}
.grill .row { justify-content: center; min-height: calc(var(--tile-width) * 1.5834); margin-top: 3px; gap: 6px; }
.grill .fresh { outline-color: #fff; }
.piles { display: flex; gap: 16px; justify-content: center; }
.pile { display: flex; flex-direction: column; align-items: center; }
.count { font-size: 13px; margin-top: 2px; }
@container board (min-width: 620px) {
  .around-rows { grid-template-columns: repeat(12, minmax(0, 1fr)); }
  .around-rows > .middle { grid-area: 2 / 1 / 3 / 13; }
  .felt > .seat { grid-area: var(--area); }
}
@container board (min-width: 820px) {
  .felt { --card-width: 46px; --tile-width: 42px; --die-width: 46px; gap: 12px; padding: 14px; }
}
@container board (min-width: 1100px) {
  .felt { --card-width: 52px; --tile-width: 48px; --die-width: 52px; }
}

/* Karteneck. */
.karteneck .display { flex: 1 1 52%; }
.karteneck .stack { flex: 0 1 auto; max-width: 42%; }
.karteneck .hand { flex: 1 1 100%; }
.karteneck .zones .bare, .haecmaec .hand .bare { height: calc(var(--card-width) * 1.4); }
@container seat (min-width: 640px) {
  .karteneck .hand { flex: 1 1 36%; order: -1; }
  .karteneck .display { flex: 1 1 30%; }
  .karteneck .stack { flex: 0 1 auto; max-width: 26%; }
}

/* Bratwurmeck. */
.bratwurmeck .middle { flex-direction: column; }
.bratwurmeck .grill { flex: none; }
.spots { flex-wrap: wrap; gap: 5px; }
.spot { width: var(--width); height: var(--height); }
.spot-mark { width: var(--width); height: var(--height); }
.spots .empty { stroke: #f3d9c4; fill: #00000059; opacity: 0.55; }
.dice { display: grid; gap: 10px; grid-template-columns: 1fr; }
.aside, .rolled { background: var(--panel); border: 1px solid var(--rim); border-radius: 14px; padding: 9px 10px; }
.dice .row, .dice .bare { min-height: var(--die-width); }
.dice .sided { grid-template-columns: 56px minmax(0, 1fr); }
.bratwurmeck .seat { display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center; }
.bratwurmeck .head { flex: 1 1 150px; min-width: 0; }
.bratwurmeck .points { margin-left: 0; padding: 0 8px; border-left: 1px solid var(--rim); }
.bratwurmeck .zones { flex: 0 1 auto; min-width: 0; margin: 0; }
.bratwurmeck .heaped { justify-content: flex-end; }
.bratwurmeck .zones .bare { min-height: 24px; }
@container board (max-width: 619px) {
  .spots { gap: 4px; }
  .bratwurmeck .grill { padding: 7px 6px 10px; }
  .bratwurmeck .heaped { min-height: 0; }
}
@container board (min-width: 620px) {
  .dice { grid-template-columns: 1fr 1fr; }
  .bratwurmeck .zones .bare { height: 61px; }
}

/* Häc Mäc. */
.haecmaec .middle { flex-wrap: wrap; align-items: stretch; }
.haecmaec .piles { flex-direction: column; justify-content: space-evenly; flex: none; }
.haecmaec .spoiled { flex: 1 1 100%; }
.haecmaec .burger {
  background: var(--panel); border: 1px solid var(--rim); border-radius: 14px; padding: 9px 10px 4px; display: flex;
  flex-direction: column; flex: 1 1 220px; min-height: 190px; min-width: 0;
}
.plate-caption {
  display: flex; justify-content: space-between; gap: 8px; font-size: 12.5px; color: var(--quiet); font-weight: 600;
  min-height: 20px;
}
.plate-caption b { color: var(--ink); }
.tower { flex: 1; display: flex; flex-direction: column-reverse; width: 100%; max-width: 340px; margin: 0 auto; }
.tower .bare { justify-content: center; flex: 1; }
.storey { display: grid; grid-template-columns: 25px minmax(0, 1fr) 60px; gap: 5px; align-items: center; }
.storey > svg { width: 100%; }
.storey + .storey { margin-bottom: -3px; }
.board svg.layer { width: 100%; height: auto; --width: 60px; }
.worth { display: flex; align-items: baseline; gap: 5px; font-size: 12px; min-width: 0; }
.worth b { font-size: 15px; min-width: 0.7em; }
.worth span { overflow: hidden; text-overflow: ellipsis; }
.storey.under-all { margin-bottom: 4px; }
.storey.under-all + .storey { margin-bottom: -5px; }
.plate { fill: light-dark(#d9d3c7, #4a4f52); stroke: var(--quiet); }
.board svg.bottoms { width: var(--card-width); height: calc(var(--card-width) * 1.1); margin-top: auto; }
.burgers { display: flex; flex-wrap: wrap; gap: 6px 7px; align-items: flex-end; }
.board svg.small-burger { --width: 38px; width: 38px; height: auto; }
.served { display: flex; flex-direction: column; align-items: center; font-size: 12.5px; }
.spoiled .small-burger { filter: saturate(0.45); }
.top-sign { display: inline-flex; align-items: center; gap: 3px; margin-left: 6px; font-size: 13px; }
.top-sign svg { width: 31px; height: 22px; }
.tag.reaction svg, .tag.shown svg { width: 17px; height: 17px; }
.tag.secret { border-style: dashed; border-color: var(--quiet); background: none; }
.tag.quiet { background: none; color: var(--quiet); }
.tops { flex: none; align-self: start; display: flex; }
.haecmaec .hand { flex: 1 1 100%; }
.haecmaec .closed { flex: 1 1 60%; }
.haecmaec .penalties { flex: 0 1 auto; }
.penalties { --card-width: 30px; }
.haecmaec .sided { grid-template-columns: 56px minmax(0, 1fr); }
.penalties .row { flex-wrap: wrap; row-gap: 3px; }
.penalties .slot { flex: none; width: calc(var(--width) + 3px); }
@container board (max-width: 470px) {
  .haecmaec .piles { flex: 1 1 100%; flex-direction: row; justify-content: center; gap: 28px; }
}
@container board (min-width: 620px) {
  .around-columns { grid-template-columns: 1fr 1fr; }
  .around-columns > .middle { grid-column: 1 / 3; }
  .around-columns > .seat { grid-area: auto; }
}
@container board (min-width: 820px) {
  .around-columns {
    grid-template-columns: minmax(0, 1fr) minmax(280px, 1fr) minmax(0, 1fr); grid-template-rows: repeat(6, auto);
  }
  .haecmaec .middle { flex-direction: column; flex-wrap: nowrap; }
  .haecmaec .piles { flex-direction: row; justify-content: center; }
  .haecmaec .burger { flex: none; min-height: 270px; }
  .haecmaec .spoiled { flex: none; }
  .around-columns > .middle { grid-area: 1 / 2 / 7 / 3; align-self: center; }
  .around-columns > .seat { grid-area: var(--area); }
  .around-columns.players-3 > .seat, .around-columns.players-5 > .seat { align-self: start; }
}
@container board (min-width: 820px) {
  .haecmaec.players-5, .haecmaec.players-6 { --card-width: 40px; }
}
`;
