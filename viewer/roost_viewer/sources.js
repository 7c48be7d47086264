// Where frames come from: embedded documents, a URL per eye, or the stream of a match that is being played.

/** The format that this viewer reads. */
export const FORMAT = "roost-frames/1";
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const GONE = "This match was broken off: its arena ended while it was played.";

/** What a reader is told when a match cannot be shown; `retry` says whether it may help to ask again. */
export class SourceError extends Error {
  constructor(message, retry = false) {
    super(message);
    this.retry = retry;
  }
}

/** `document` if this viewer can read it. */
export function checked(document) {
  if (typeof document !== "object" || document === null || typeof document.format !== "string") {
    throw new SourceError("This is not a match: it does not say its format.");
  }
  if (document.format !== FORMAT) {
    const [, theirs] = document.format.split("/");
    const remedy = Number(theirs) > 1 ? "Reload the page, or update Roost." : "Make it again with a newer Roost.";
    throw new SourceError(`This match is written in the format ${document.format}, and this viewer reads ${FORMAT}. ${remedy}`);
  }
  if (!document.frames?.length && document.result) throw new SourceError(undealt(document.result));
  return document;
}

const undealt = ({ termination, reason }) =>
  `This match was ${termination} before the deal${reason ? `: ${reason}` : ""}. There is nothing to show.`;

/** Documents that are given as objects, by eye. */
export class EmbeddedDocuments {
  constructor(documents) {
    this.documents = documents;
  }

  /** Those with a name first, then the seats: an object would name the numbers first. */
  get eyes() {
    const names = Object.keys(this.documents);
    return [...names.filter((name) => isNaN(name)), ...names.filter((name) => !isNaN(name))];
  }

  async read(eye) {
    const document = this.documents[eye ?? this.eyes[0]] ?? this.documents[this.eyes[0]];
    return checked(document);
  }
}

/** Documents at a URL per eye, each asked for once. */
export class RemoteDocuments {
  #read = new Map();

  /** @param {string} template a URL with `{eye}` in it, or to which the eye is appended */
  constructor(template) {
    this.template = template;
  }

  url(eye) {
    const name = encodeURIComponent(eye);
    return this.template.includes("{eye}") ? this.template.replaceAll("{eye}", name) : this.template + name;
  }

  read(eye = "open") {
    if (!this.#read.has(eye)) {
      const reading = fetchDocument(this.url(eye));
      this.#read.set(eye, reading);
      reading.catch(() => this.#read.delete(eye));
    }
    return this.#read.get(eye);
  }
}

async function fetchDocument(url) {
  let response;
  try {
    response = await fetch(url, { headers: { Accept: "application/json" } });
  } catch {
    throw new SourceError("The match could not be loaded: the server did not answer. Try again in a moment.", true);
  }
  if (!response.ok) throw new SourceError(await refusal(response), response.status >= 500);
  try {
    return checked(await response.json());
  } catch (error) {
    if (error instanceof SourceError) throw error;
    throw new SourceError("The match could not be loaded: the answer is not a match.");
  }
}

/** Why the server refused, in its own words if it said any. */
async function refusal(response) {
  const { error } = await response.json().catch(() => ({}));
  if (typeof error === "string" && error) return error;
  return response.status === 404 ? "There is no such match." : `The match could not be loaded (${response.status}).`;
}

/** Whether there is nothing at this address; an event stream does not tell why it was refused. */
async function isGone(url) {
  const response = await fetch(url, { method: "HEAD" }).catch(() => null);
  return response?.status === 404;
}

/**
 * A match that is being played. The stream sends the document, then each frame, then the result; after a break it
 * begins again with the document, and what is known already is not told twice.
 */
export class LiveMatch {
  #source = null;
  #timer = null;
  #failures = 0;

  /**
   * @param {string} url of the stream of server-sent events
   * @param {{grew: () => void, ended: () => void, connected: (yes: boolean) => void, failed: (error: Error) => void}}
   *   listener is told that there are new frames, that the match is over, and how the connection is
   */
  constructor(url, listener) {
    this.url = url;
    this.listener = listener;
    this.document = null;
  }

  open() {
    document.addEventListener("visibilitychange", this.#attend);
    this.#attend();
  }

  close() {
    document.removeEventListener("visibilitychange", this.#attend);
    this.#disconnect();
  }

  /** Browsers open six connections to a host that speaks HTTP/1.1, so a tab that nobody looks at leaves them to others. */
  #attend = () => {
    if (document.hidden) this.#disconnect();
    else if (!this.#source) this.#connect();
  };

  #connect() {
    this.#source = new EventSource(this.url);
    this.#source.onmessage = (event) => this.#take(event.data);
    this.#source.onopen = () => this.listener.connected(true);
    this.#source.onerror = () => this.#lost();
  }

  #disconnect() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  /** The browser connects again by itself after a break, but gives up when the server answered with an error. */
  #lost() {
    this.listener.connected(false);
    const source = this.#source;
    if (source?.readyState !== EventSource.CLOSED) return;
    // Not at once: browsers also break the stream of a page that is being left, and then nobody wants to know why.
    const wait = RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)];
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#ask(source), wait);
  }

  /** Connect again, unless there is nothing any more. */
  async #ask(source) {
    const gone = await isGone(this.url);
    if (this.#source !== source) return;
    if (gone) {
      this.close();
      this.listener.failed(new SourceError(GONE));
    } else {
      this.#connect();
    }
  }

  #take(data) {
    try {
      this.#took(JSON.parse(data));
    } catch (error) {
      this.close();
      this.listener.failed(error instanceof SourceError ? error : new SourceError("The live match sent something unreadable."));
    }
  }

  #took(message) {
    this.#failures = 0;
    if ("format" in message) this.#begin(checked(message));
    else if ("step" in message) this.#add(message);
    else if ("result" in message) this.#end(message);
  }

  #begin(document) {
    if (this.document) this.document.frames.push(...document.frames.slice(this.document.frames.length));
    else this.document = document;
    this.listener.grew();
    if (document.result) this.#end(document);
  }

  #add(frame) {
    const { frames } = this.document;
    if (frames.length && frame.step <= frames[frames.length - 1].step) return;
    frames.push(frame);
    this.listener.grew();
  }

  #end({ result, seed }) {
    this.close();
    this.document.result = result;
    if (seed) this.document.seed = seed;
    this.listener.ended();
  }
}
