// What waits to be sent on one stream. While one message is being sent, the next one collects here, so that a busy bot
// sends few large messages and an idle one loses no time.

export class Outbox {
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
    this.#writing = true;
    this.#call.write(message, () => {
      this.#writing = false;
      this.flush();
    });
  }
}
