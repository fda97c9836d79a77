// How long the reader of the log waits before it reads again: each read, and what every client is
// then sent, costs more than one more event.

const windowMs = 100;
/** More than one goal at work brings. */
const busyFrom = 20;
/**
 * Without a pause each read would find one event, whose sender waits for the next, and nothing
 * would be gathered.
 */
const eventsPerRead = 2;
export const gatherMs = 20;

export class Pace {
  #from = Number.NEGATIVE_INFINITY;
  #events = 0;
  #reads = 0;
  #isBusy = false;

  /** Milliseconds to wait after a read of so many events at this time; 0 while little happens. */
  after(events: number, nowMs: number): number {
    const passedMs = nowMs - this.#from;
    if (passedMs >= windowMs) {
      this.#isBusy =
        this.#events * windowMs >= busyFrom * passedMs &&
        this.#events >= eventsPerRead * this.#reads;
      [this.#from, this.#events, this.#reads] = [nowMs, 0, 0];
    }
    this.#events += events;
    this.#reads += 1;
    return this.#isBusy ? gatherMs : 0;
  }
}
