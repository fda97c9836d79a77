// AbortController and AbortSignal as plain objects. The platform keeps what waits for a signal of
// AbortSignal.any until that signal aborts, and of a program that crashes none ever does: every
// schedule would stay in memory, and the next ones would be slower for it.

type Listener = (event: Event) => void;

class Signal {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<Listener>();
  /** The signals of `any` that this one decides, in the order of their making. */
  readonly #dependents: Signal[] = [];
  /** The sources that decide a signal of `any`: controllers' signals alone. */
  #sources: readonly Signal[] = [];

  static any(signals: readonly Signal[]): Signal {
    const made = new Signal();
    const over = signals.find(({ aborted }) => aborted);
    if (over !== undefined) {
      made.#mark(over.reason);
      return made;
    }
    made.#sources = [
      ...new Set(
        signals.flatMap((signal) => (signal.#sources.length > 0 ? signal.#sources : [signal])),
      ),
    ];
    for (const source of made.#sources) source.#dependents.push(made);
    return made;
  }

  /** It goes by the virtual clock. */
  static timeout(ms: number): Signal {
    const controller = new Controller();
    const error = new DOMException("The operation timed out.", "TimeoutError");
    setTimeout(() => controller.abort(error), ms);
    return controller.signal;
  }

  /** Every signal is marked before the first listener is called. */
  static end(signal: Signal, reason: unknown): void {
    if (signal.aborted) return;
    const ending = [signal, ...signal.#dependents.splice(0).filter(({ aborted }) => !aborted)];
    for (const one of ending) one.#mark(reason);
    for (const one of ending) one.#fire();
  }

  /** A signal fires once, whatever the listener asks for. */
  addEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: Listener): void {
    this.#listeners.delete(listener);
  }

  #mark(reason: unknown): void {
    this.aborted = true;
    this.reason = reason;
  }

  #fire(): void {
    const event = new Event("abort");
    for (const listener of [...this.#listeners])
      if (this.#listeners.delete(listener)) listener(event);
  }
}

class Controller {
  readonly signal = new Signal();

  abort(reason: unknown = new DOMException("The operation was aborted.", "AbortError")): void {
    Signal.end(this.signal, reason);
  }
}

/** In the place of the globals of these names: as much of them as the programs use. */
export const virtualAbort = { AbortController: Controller, AbortSignal: Signal };
