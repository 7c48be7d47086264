/**
 * Prepares a board for a frames document. Then `shown(index)` draws a frame and tells what is on the page.
 */
async (text) => {
  const frames = JSON.parse(text);
  const game = await import(`/boards/${frames.game}.js`);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(game.styles);
  document.adoptedStyleSheets = [sheet];
  const root = document.getElementById("root");
  root.replaceChildren();
  window.board = game.createBoard(root, frames);

  const all = (selector) => [...root.querySelectorAll(selector)];
  const named = (element) => element.getAttribute("aria-label");
  const isSilent = (element) => element.getAttribute("aria-hidden") === "true";
  const byZone = (selector, told) => Object.fromEntries(all(selector).map((zone) => [zone.dataset.zone, told(zone)]));
  const thing = (element) => [
    element.dataset.place,
    element.dataset.card,
    named(element),
    element.querySelectorAll("circle").length,
  ];

  window.shown = (index, ms = 0) => {
    board.show(frames.frames[index], ms ? frames.frames[index - 1] : null, { ms });
    return {
      things: all("[data-card]").map(thing),
      fresh: all("[data-card].fresh").map((element) => [element.dataset.place, element.dataset.card]),
      backs: byZone("[data-zone^='hands/']", (zone) => zone.querySelectorAll(".face-down").length),
      zones: byZone("[data-zone][aria-label]", named),
      seats: all(".seat").map(named),
      deciding: all(".seat.deciding").length,
      nameless: all("svg").filter((svg) => !named(svg) && !isSilent(svg)).length,
      text: root.textContent,
      words: board.describe(frames.frames[index]),
    };
  };
  window.allShown = (stride) => frames.frames.flatMap((_, index) => (index % stride ? [] : [shown(index)]));
};
