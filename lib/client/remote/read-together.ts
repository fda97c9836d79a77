// Collects reads that are asked for at the same time, so that they are few requests: a command
// reads something of each goal, and there may be hundreds.
import { SettError, type SettErrorCode } from "../../model/errors.ts";
import { maxReadsTogether } from "./calls.ts";

type Read<Name> = {
  name: Name;
  args: unknown[];
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

type Ask<Name> = {
  /** Asks for one. */
  alone(name: Name, args: unknown[]): Promise<unknown>;
  /** Asks for several; the answers are in their order. */
  together(calls: [name: Name, args: unknown[]][]): Promise<unknown[]>;
};

const ofAll = new Set<SettErrorCode>([
  "api-unreachable",
  "redis-unreachable",
  "too-many-requests",
  "not-authenticated",
  "not-allowed",
]);

/** Not of one of the calls: each would fail in the same way. */
function isOfAll(error: unknown): boolean {
  return error instanceof SettError && ofAll.has(error.code);
}

export function readTogether<Name>(
  ask: Ask<Name>,
): (name: Name, args: unknown[]) => Promise<unknown> {
  let waiting: Read<Name>[] = [];
  const answer = async (reads: readonly Read<Name>[]) => {
    if (reads.length > 1) {
      try {
        const values = await ask.together(reads.map(({ name, args }) => [name, args]));
        for (const [at, { resolve }] of reads.entries()) resolve(values[at] ?? undefined);
        return;
      } catch (error) {
        if (isOfAll(error)) {
          for (const { reject } of reads) reject(error);
          return;
        }
        // The API has refused one of them, or is of another version: each gets its own answer.
      }
    }
    for (const { name, args, resolve, reject } of reads)
      ask.alone(name, args).then(resolve, reject);
  };
  const send = () => {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += maxReadsTogether)
      void answer(all.slice(from, from + maxReadsTogether));
  };
  return (name, args) =>
    new Promise((resolve, reject) => {
      waiting.push({ name, args, resolve, reject });
      // Code that goes on after an answer asks for the next within the same turn.
      if (waiting.length === 1) setImmediate(send);
    });
}
