// Reads the facts that decisions are based on, each once.
import type { RegisteredAgent } from "../model/agent.ts";
import { ChangedPaths } from "../model/changed-paths.ts";
import { Registry } from "../model/fact.ts";
import { Policy } from "../model/policy.ts";

export class FactReader {
  readonly #facts: ReadonlyMap<string, string>;
  readonly #read = new Map<string, unknown>();

  /** SHA-256 → text. */
  constructor(facts: ReadonlyMap<string, string>) {
    this.#facts = facts;
  }

  registry(digest: string): readonly RegisteredAgent[] | undefined {
    return this.#fact(digest, (value) => Registry.safeParse(value).data);
  }

  policy(digest: string): Policy | undefined {
    return this.#fact(digest, (value) => Policy.safeParse(value).data);
  }

  paths(digest: string): ChangedPaths | undefined {
    return this.#fact(digest, (value) => ChangedPaths.safeParse(value).data);
  }

  /** A text that is no such fact is none: who changes an archive can give it its digest. */
  #fact<Value>(digest: string, read: (value: unknown) => Value): Value | undefined {
    const text = this.#facts.get(digest);
    if (text === undefined) return undefined;
    if (!this.#read.has(digest)) this.#read.set(digest, factIn(text, read));
    return this.#read.get(digest) as Value | undefined;
  }
}

function factIn<Value>(text: string, read: (value: unknown) => Value): Value | undefined {
  try {
    return read(JSON.parse(text));
  } catch {
    return undefined;
  }
}
