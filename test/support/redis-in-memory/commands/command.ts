// A command has its words after the name, and what it does.
import type { Database } from "../database.ts";
import { Refused, type Reply } from "../reply.ts";

export type Command = {
  /** How many words it has at least, its name among them; exactly as many, where `isExact`. */
  words: number;
  isExact?: boolean;
  /** False: it only reads. */
  writes: boolean;
  /** True: a Redis without room does it all the same. */
  makesRoom?: boolean;
  run: (database: Database, words: readonly string[]) => Reply;
};

export type Commands = Readonly<Record<string, Command>>;

export function reads(words: number, run: Command["run"], isExact = true): Command {
  return { words, isExact, writes: false, run };
}

export function writes(words: number, run: Command["run"], isExact = true): Command {
  return { words, isExact, writes: true, run };
}

export function makesRoom(words: number, run: Command["run"], isExact = true): Command {
  return { words, isExact, writes: true, makesRoom: true, run };
}

export function wholeOf(word: string | undefined): number {
  if (word === undefined || !/^-?(?:0|[1-9]\d{0,18})$/.test(word))
    throw new Refused("ERR value is not an integer or out of range");
  return Number(word);
}

export function floatOf(word: string | undefined): number {
  const text = (word ?? "").toLowerCase();
  if (/^\+?inf(?:inity)?$/.test(text)) return Number.POSITIVE_INFINITY;
  if (/^-inf(?:inity)?$/.test(text)) return Number.NEGATIVE_INFINITY;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(text))
    throw new Refused("ERR value is not a valid float");
  return Number(text);
}

/** The places from `start` to `stop`, both included; a negative one counts from the end. */
export function placesOf(start: number, stop: number, size: number): [from: number, to: number] {
  const from = start < 0 ? Math.max(0, size + start) : start;
  const to = stop < 0 ? size + stop : Math.min(stop, size - 1);
  return [from, to + 1];
}
