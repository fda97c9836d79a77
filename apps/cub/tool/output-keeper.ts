// Sends what a command has printed to the recorder, which keeps it, and names it by its digest. No
// result waits for that: a recorder that is away costs the text, and never the work.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { backOffMs } from "../../../lib/async/back-off.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import { boundedOutput } from "../../../lib/core/failure-report.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { type KeptOutput, type KeptStream, streamNames } from "../../../lib/model/kept-output.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";

/** `url`: of the recorder. `maxBytes`: of all streams of one grant. */
type Parts = { url: string; maxBytes: number; log: JsonLog };

export type Printed = { stdout?: Uint8Array; stderr?: Uint8Array };

/** About half a minute, as long as `sett up` needs to replace the recorder. */
const maxTries = 8;
const tryMs = 20_000;
/** The bodies that wait for a recorder that is away. */
const maxHeldBytes = 128 * 1024 * 1024;

export class OutputKeeper {
  readonly #parts: Parts;
  readonly #sending = new Set<Promise<void>>();
  #heldBytes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The names are known at once; the bodies are sent meanwhile. Undefined where there is no text.
   */
  keep(goal: GoalId, printed: Printed): KeptOutput | undefined {
    const output: KeptOutput = {};
    const shares = sharesOf(printed, this.#parts.maxBytes);
    for (const name of streamNames) {
      const bytes = printed[name];
      if (bytes === undefined || isBlank(bytes)) continue;
      const { kept, leftOut } = boundedOutput(bytes, shares[name]);
      const digest = createHash("sha256").update(kept).digest("hex");
      const stream: KeptStream = { digest, bytes: bytes.byteLength };
      output[name] = leftOut === 0 ? stream : { ...stream, left_out: leftOut };
      this.#send(`outputs/${goal}/${digest}`, kept);
    }
    return Object.keys(output).length === 0 ? undefined : output;
  }

  /** Resolves when all is sent or given up, or with the signal. */
  async settled(signal: AbortSignal): Promise<void> {
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    if (signal.aborted) return;
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([Promise.all(this.#sending), stopped.promise]);
    signal.removeEventListener("abort", stop);
  }

  #send(path: string, bytes: Uint8Array): void {
    const { log } = this.#parts;
    if (this.#heldBytes + bytes.byteLength > maxHeldBytes)
      return log.warn("Could not keep an output", { path, error: "The recorder is away." });
    this.#heldBytes += bytes.byteLength;
    const sending = this.#put(path, bytes)
      .catch((error: unknown) =>
        log.warn("Could not keep an output", { path, error: messageOf(error) }),
      )
      .finally(() => {
        this.#heldBytes -= bytes.byteLength;
        this.#sending.delete(sending);
      });
    this.#sending.add(sending);
  }

  async #put(path: string, bytes: Uint8Array): Promise<void> {
    const body = new Uint8Array(await promisify(gzip)(bytes));
    for (let tries = 1; ; tries += 1) {
      try {
        const signal = AbortSignal.timeout(tryMs);
        const address = `${this.#parts.url}/${path}`;
        const response = await fetch(address, { method: "PUT", body, signal });
        if (response.ok) return;
        const { status } = response;
        const said = await response.text();
        if (status < 500 || tries >= maxTries) throw new Refused(`${status} ${said}`);
      } catch (error) {
        if (error instanceof Refused || tries >= maxTries) throw error;
      }
      await sleep(backOffMs(tries, { firstMs: 100, maxMs: 10_000 }), never);
    }
  }
}

class Refused extends Error {}

const never = new AbortController().signal;

/** A stream may use what the other one leaves of the bound. */
function sharesOf({ stdout, stderr }: Printed, maxBytes: number) {
  const half = Math.floor(maxBytes / 2);
  const [out, err] = [stdout?.byteLength ?? 0, stderr?.byteLength ?? 0];
  return {
    stdout: Math.max(half, maxBytes - err),
    stderr: Math.max(half, maxBytes - out),
  };
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
