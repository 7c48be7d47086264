// The check of the deal in the reader's own browser: seed, commitment, and what chance did.

import { checkDeal } from "../chance.js";
import { h, icon } from "../elements.js";

const VERDICTS = { good: "correct", bad: "wrong", open: "cannot be checked" };
const SAID = {
  good: "The deal is correct.",
  bad: "Something is wrong with this deal.",
  open: "Everything that can be checked is correct.",
};
const EXPLANATION =
  "Before a match the host publishes a commitment, the SHA-256 of a secret seed. Every card and every die follows from " +
  "that seed by SHAKE-256. Your browser computes them again from the seed; nothing is asked of the server.";

/**
 * The panel. The check runs when a reader asks for it: a proof that runs by itself is read by nobody.
 * @param {{openDocument: () => Promise<object>}} actions the open document lists what chance did; other eyes do not
 */
export function createDeal(actions) {
  const facts = h("dl", { class: "facts" });
  const findings = h("div", { class: "findings", role: "status" });
  const button = h("button", { type: "button", class: "plain strong" }, "Check the deal");
  const explanation = h("p", { class: "soft" }, EXPLANATION);
  const body = [explanation, facts, button, findings];
  const root = h("div", { class: "scroll deal", tabindex: 0, role: "region", "aria-label": "Check of the deal" }, body);
  let known = null;
  button.addEventListener("click", async () => {
    const checked = known;
    const found = report(checkDeal(await actions.openDocument()));
    if (known === checked) findings.replaceChildren(...found);
  });
  return {
    root,
    load({ document }) {
      if (known !== document) findings.replaceChildren();
      known = document;
      facts.replaceChildren(fact("Commitment", document.commitment, "none"), fact("Seed", document.seed, seedless(document)));
      button.disabled = !document.seed;
    },
    update() {},
  };
}

const seedless = ({ result }) => (result ? "not on record" : "revealed after the match");

function fact(name, digits, missing) {
  const value = digits ? h("code", {}, digits) : h("span", { class: "soft" }, missing);
  return h("div", {}, h("dt", {}, name), h("dd", {}, value));
}

function report(findings) {
  const verdict = ["bad", "open", "good"].find((one) => findings.some((finding) => finding.verdict === one));
  const rows = findings.map((finding) => h("li", { class: finding.verdict }, icon(finding.verdict), told(finding)));
  return [h("p", { class: `verdict ${verdict}` }, icon(verdict), SAID[verdict]), h("ul", {}, rows)];
}

function told({ what, verdict, detail }) {
  return h("div", {}, h("b", {}, `${what}: ${VERDICTS[verdict]}`), h("p", { class: "soft" }, detail));
}
