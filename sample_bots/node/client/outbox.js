// What waits to be sent on one stream. While one message is being sent, the next one collects here, so that a busy bot
// sends few large messages and an idle one loses no time.

const USUAL_MAX_BYTES = 64 * 1024;

export class Outbox {
  // The largest message that the arena takes. Its welcome says so.
  maxBytes = USUAL_MAX_BYTES;
  #call;
  #message = {};
  #writing = false;

  constructor(call) {
    this.#call = call;
  }

  /** Add fields of a `BotMessage`: lists grow, everything else is set. Nothing is sent before `flush`. */
  add(fields) {
    for (const [name, value] of Object.entries(fields)) {
      this.#message[name] = Array.isArray(value) ? [...(this.#message[name] ?? []), ...value] : value;
    }
  }

  /** Send what waits, now or as soon as the previous message has been taken. */
  flush() {
    if (this.#writing || Object.keys(this.#message).length === 0) return;
    const message = this.#message;
    this.#message = {};
    this.#keepRest(message);
    this.#writing = true;
    this.#call.write(message, () => {
      this.#writing = false;
      this.flush();
    });
  }

  /** Leave in a message the answers that the arena takes at once. The others wait for the next one. */
  #keepRest(message) {
    // As JSON everything is longer than on the wire, so this is on the safe side.
    let size = JSON.stringify({ ...message, answers: [] }).length;
    const fitting = (message.answers ?? []).findIndex((answer, sent) => {
      size += JSON.stringify(answer).length + 1;
      return size > this.maxBytes && sent > 0;
    });
    if (fitting > 0) this.add({ answers: message.answers.splice(fitting) });
  }
}
