// The log: a line to stderr, with the time of day.

export function log(text) {
  console.error(`${new Date().toTimeString().slice(0, 8)} ${text}`);
}
