// The arguments of a Lua function as the flat words of its call, by the names and kinds of the
// table: a list is led by its length, what may be missing by 0 or 1. The readers in Lua are made
// from the same table (function-library.ts).
import type { Buffer } from "node:buffer";
import { type FunctionName, functionTable, type Kind, records } from "./function-table.ts";

type Word = string | Buffer;
type Encode = (value: unknown, words: Word[]) => void;

// The types of `Call` have checked every value; these encoders trust them.
const scalars: Record<string, Encode> = {
  text: (value, words) => words.push(value as string),
  bytes: (value, words) => words.push(value as Word),
  number: (value, words) => words.push(String(value)),
  flag: (value, words) => words.push(value === true ? "1" : "0"),
  fields: (value, words) => {
    const entries = Object.entries(value as Record<string, string>);
    words.push(String(entries.length));
    for (const [name, text] of entries) words.push(name, text);
  },
};

const encoders = new Map<Kind, Encode>(Object.entries(scalars));

export function encodeArgs(name: FunctionName, args: object): Word[] {
  const words: Word[] = [];
  encodeMembers(functionTable[name].args, args, words);
  return words;
}

function encoderOf(kind: Kind): Encode {
  const known = encoders.get(kind);
  if (known !== undefined) return known;
  const made = newEncoder(kind);
  encoders.set(kind, made);
  return made;
}

function newEncoder(kind: Kind): Encode {
  const item = kind.slice(0, -1);
  if (kind.endsWith("*")) {
    return (value, words) => {
      const list = value as readonly unknown[];
      words.push(String(list.length));
      for (const one of list) encoderOf(item)(one, words);
    };
  }
  if (kind.endsWith("?")) {
    return (value, words) => {
      words.push(value === undefined ? "0" : "1");
      if (value !== undefined) encoderOf(item)(value, words);
    };
  }
  const members: Readonly<Record<string, Kind>> = records[kind as keyof typeof records];
  return (value, words) => encodeMembers(members, value as object, words);
}

function encodeMembers(
  members: Readonly<Record<string, Kind>>,
  values: object,
  words: Word[],
): void {
  for (const name in members)
    encoderOf(members[name] ?? "")((values as Record<string, unknown>)[name], words);
}
