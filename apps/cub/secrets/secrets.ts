// The agent's secrets, as the keeper has put them into a folder in memory.
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../../../lib/async/sleep.ts";
import type { CommandOutcome } from "../../../lib/process/command.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { RunOutcome } from "../container/tool-limits.ts";
import { type Masker, maskerOf } from "./masker.ts";

const lookEveryMs = 500;

/** Name → the variable that has the value for the command, or null. */
export type SecretVariables = Readonly<Record<string, string | null>>;

type Values = ReadonlyMap<string, Uint8Array>;

/** `runs`: those under way that may have got it. */
type Known = { name: string; value: Uint8Array; runs: Set<symbol> };

/**
 * A value is masked while it is the one of now, or a run is under way that may have got it: a
 * command prints what it got at its start.
 *
 * | a value | what it becomes |
 * |---|---|
 * | is read for the first time | of now, and had by every run under way: its command may read the file again |
 * | is replaced, or its file is gone | masked for those runs alone |
 * | is replaced, and the last of those runs ends | forgotten |
 */
export class Secrets {
  readonly #folder: string;
  readonly #variables: SecretVariables;
  #now: Values = new Map();
  #known: Known[] = [];
  readonly #runs = new Set<symbol>();
  #masker = maskerOf([]);

  constructor(folder: string, variables: SecretVariables) {
    this.#folder = folder;
    this.#variables = variables;
  }

  /**
   * Names, in order. A restart of the machine has cleared the memory of the keeper; `sett up` fills
   * it again.
   */
  missing(): string[] {
    const values = this.#read();
    return Object.keys(this.#variables).filter((name) => !values.has(name));
  }

  /** Resolves when none is missing, or with `stop`. */
  async untilThere(stop: AbortSignal, log: JsonLog, onLook: () => void): Promise<void> {
    let missing = this.missing();
    if (missing.length > 0)
      log.warn("Waiting for secrets: `sett up` brings them", { secrets: missing });
    while (missing.length > 0 && !stop.aborted) {
      onLook();
      await sleep(lookEveryMs, stop);
      missing = this.missing();
    }
  }

  /**
   * Returns the variables of the command. A newline at the end of a value is left out, as a shell
   * does.
   */
  variables(): Record<string, string> {
    const values = this.#read();
    const decoder = new TextDecoder();
    return Object.fromEntries(
      Object.entries(this.#variables).flatMap(([name, variable]) => {
        const value = values.get(name);
        return variable === null || value === undefined
          ? []
          : [[variable, decoder.decode(value).replace(/(?:\r?\n)+$/, "")]];
      }),
    );
  }

  masker(): Masker {
    this.#read();
    return this.#masker;
  }

  /** Counts a run from before its command starts until nothing of it is written any more. */
  hold(): Disposable {
    this.#read();
    const run = Symbol("run");
    this.#runs.add(run);
    for (const { name, value, runs } of this.#known)
      if (isSame(value, this.#now.get(name))) runs.add(run);
    return {
      [Symbol.dispose]: () => {
        this.#runs.delete(run);
        for (const { runs } of this.#known) runs.delete(run);
        this.#forget();
      },
    };
  }

  #forget(): void {
    const needed = this.#known.filter(
      ({ name, value, runs }) => runs.size > 0 || isSame(value, this.#now.get(name)),
    );
    if (needed.length === this.#known.length) return;
    this.#known = needed;
    this.#masker = maskerOf(needed.map(({ name, value }) => [name, value]));
  }

  /** The files are small and in memory: waiting for them would take longer than reading them. */
  #read(): Values {
    const values = new Map<string, Uint8Array>();
    for (const name of Object.keys(this.#variables)) {
      try {
        values.set(name, readFileSync(join(this.#folder, name)));
      } catch {
        // Missing.
      }
    }
    if (areSame(values, this.#now)) return values;
    const before = this.#now;
    this.#now = values;
    for (const [name, value] of values)
      if (!isSame(value, before.get(name)))
        this.#known.push({ name, value, runs: new Set(this.#runs) });
    this.#masker = maskerOf(this.#known.map((known) => [known.name, known.value]));
    this.#forget();
    return values;
  }
}

function areSame(one: Values, other: Values): boolean {
  return (
    one.size === other.size && [...one].every(([name, value]) => isSame(value, other.get(name)))
  );
}

function isSame(value: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.from(value).equals(other);
}

type Stream = "stdout" | "stderr";

/** The outcome of a command, with nothing of the secrets in these parts of its output. */
export function withoutSecrets<Outcome extends CommandOutcome | RunOutcome>(
  outcome: Outcome,
  masker: Masker,
  streams: readonly Stream[] = ["stdout", "stderr"],
): Outcome {
  if (!("stdout" in outcome)) return outcome;
  const masked = (stream: Stream) =>
    streams.includes(stream) ? masker.bytes(outcome[stream]) : outcome[stream];
  return { ...outcome, stdout: masked("stdout"), stderr: masked("stderr") };
}
