// The agent's secrets, as the keeper has put them into a folder in memory.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../../../lib/async/sleep.ts";
import type { CommandOutcome } from "../../../lib/process/command.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { RunOutcome } from "../deps.ts";
import { type Masker, maskerOf } from "./masker.ts";

const lookEveryMs = 500;

/** Name → the variable that has the value for the command, or null. */
export type SecretVariables = Readonly<Record<string, string | null>>;

type Values = ReadonlyMap<string, Uint8Array>;

export class Secrets {
  readonly #folder: string;
  readonly #variables: SecretVariables;
  #now: Values = new Map();
  #known: [name: string, value: Uint8Array][] = [];
  #masker = maskerOf([]);

  constructor(folder: string, variables: SecretVariables) {
    this.#folder = folder;
    this.#variables = variables;
  }

  /** Names, in order. A restart of the machine has cleared the memory of the keeper; `sett up` fills it again. */
  missing(): string[] {
    const values = this.#read();
    return Object.keys(this.#variables).filter((name) => !values.has(name));
  }

  /** Resolves when none is missing, or with `stop`. */
  async untilThere(stop: AbortSignal, log: JsonLog, onLook: () => void): Promise<void> {
    let missing = this.missing();
    if (missing.length > 0) log.warn("Waiting for secrets: `sett up` brings them", { secrets: missing });
    while (missing.length > 0 && !stop.aborted) {
      onLook();
      await sleep(lookEveryMs, stop);
      missing = this.missing();
    }
  }

  /** Those of the command. A newline at the end of a value is left out, as a shell does. */
  variables(): Record<string, string> {
    const values = this.#read();
    const decoder = new TextDecoder();
    return Object.fromEntries(
      Object.entries(this.#variables).flatMap(([name, variable]) => {
        const value = values.get(name);
        return variable === null || value === undefined ? [] : [[variable, decoder.decode(value).replace(/(?:\r?\n)+$/, "")]];
      }),
    );
  }

  /** For the values of now and for all before, because a command may print what it got at its start. */
  masker(): Masker {
    this.#read();
    return this.#masker;
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
    this.#now = values;
    this.#known.push(...values);
    this.#masker = maskerOf(this.#known);
    return values;
  }
}

function areSame(one: Values, other: Values): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([name, value]) => {
    const known = other.get(name);
    return known !== undefined && known.length === value.length && value.every((byte, index) => byte === known[index]);
  });
}

/** The outcome of a command, with nothing of the secrets in its output. */
export function withoutSecrets<Outcome extends CommandOutcome | RunOutcome>(outcome: Outcome, masker: Masker): Outcome {
  if (!("stdout" in outcome)) return outcome;
  return { ...outcome, stdout: masker.bytes(outcome.stdout), stderr: masker.bytes(outcome.stderr) };
}
