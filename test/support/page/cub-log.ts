// The log of a cub in this process, as the page's API reads it: it can be followed.
import type { Logs } from "../../../apps/api/deps.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { createJsonLog, type JsonLog } from "../../../lib/service/json-log.ts";

export class CubLog implements Logs {
  readonly log: JsonLog;
  readonly #lines: string[] = [];
  #grown = Promise.withResolvers<void>();

  constructor(agent: string) {
    this.log = createJsonLog(
      (line) => {
        this.#lines.push(line.trimEnd());
        this.#grown.resolve();
        this.#grown = Promise.withResolvers();
      },
      systemClock.now,
      { agent },
    );
  }

  async *read(
    _: string,
    { tail, follow, signal }: { tail: number; follow: boolean; signal: AbortSignal },
  ): AsyncGenerator<string> {
    const over = new Promise<void>((end) => signal.addEventListener("abort", () => end()));
    for (let at = Math.max(0, this.#lines.length - tail); !signal.aborted; ) {
      yield* this.#lines.slice(at);
      at = this.#lines.length;
      if (!follow) return;
      await Promise.race([this.#grown.promise, over]);
    }
  }
}
