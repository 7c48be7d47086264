/** Shows a match from a file of the reader: the page's server plays it back, and this page shows it. */

const form = document.getElementById("drop");
const chooser = document.getElementById("file");
const number = document.getElementById("number");
const which = document.getElementById("which");
const problem = document.getElementById("problem");
const table = document.getElementById("table");
let text = "";

function complain(words) {
  problem.textContent = words;
  problem.hidden = false;
  table.replaceChildren();
}

/** The documents of one match of the file, or `null` and a complaint. */
async function ask(match) {
  let response;
  try {
    response = await fetch(`${form.dataset.frames}?number=${match}`, { method: "POST", body: text });
  } catch {
    complain("The page's server did not answer. Try again in a moment.");
    return null;
  }
  const answer = await response.json().catch(() => ({ error: "The file was not accepted." }));
  if (response.ok) return answer;
  complain(answer.error);
  return null;
}

async function show(match) {
  problem.hidden = true;
  const answer = await ask(match);
  if (!answer) return;
  const viewer = document.createElement("roost-match");
  viewer.documents = answer.documents;
  table.replaceChildren(viewer);
  offer(answer.matches, match);
}

/** A file may have several matches. */
function offer(matches, shown) {
  which.hidden = matches < 2;
  if (number.options.length === matches) return;
  number.replaceChildren(...Array.from({ length: matches }, (_, index) => new Option(`${index + 1} of ${matches}`, index + 1)));
  number.value = String(shown);
}

async function read(file) {
  if (!file) return;
  text = await file.text();
  number.replaceChildren();
  await show(1);
}

chooser.addEventListener("change", () => read(chooser.files[0]));
number.addEventListener("change", () => show(Number(number.value)));
form.addEventListener("submit", (event) => event.preventDefault());
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    form.classList.toggle("over", kind === "dragover");
    if (kind === "drop") read(event.dataTransfer.files[0]);
  });
}
