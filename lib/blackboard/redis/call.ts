// How a Lua function is called: keys and arguments by name go in, an outcome with named values
// comes back.
import type { Buffer } from "node:buffer";
import { SettError } from "../../model/errors.ts";
import { encodeArgs } from "./encode-args.ts";
import { type FunctionName, functionTable, type records } from "./function-table.ts";

type Table = typeof functionTable;
type Records = typeof records;
type Scalars = {
  text: string;
  bytes: string | Buffer;
  number: number;
  flag: boolean;
  fields: Readonly<Record<string, string>>;
};

type Value<Kind> = Kind extends `${infer Item}*`
  ? readonly Value<Item>[]
  : Kind extends `${infer Item}?`
    ? Value<Item> | undefined
    : Kind extends keyof Scalars
      ? Scalars[Kind]
      : Kind extends keyof Records
        ? { readonly [Name in keyof Records[Kind]]: Value<Records[Kind][Name]> }
        : never;

/** A record as functions get it: `ArgumentOf<"artefact">`. */
export type ArgumentOf<Kind extends keyof Records> = Value<Kind>;

type KeysOf<Name extends FunctionName> = { readonly [Key in Table[Name]["keys"][number]]: string };
/** The arguments of a function: `ArgumentsOf<"placeBid">`. */
export type ArgumentsOf<Name extends FunctionName> = {
  readonly [Arg in keyof Table[Name]["args"]]: Value<Table[Name]["args"][Arg]>;
};
type OutcomeOf<Outcomes> = {
  [Outcome in keyof Outcomes]: { outcome: Outcome } & (Outcomes[Outcome] extends readonly string[]
    ? { [Detail in Outcomes[Outcome][number]]: string }
    : never);
}[keyof Outcomes];
type ReplyOf<Name extends FunctionName> = Table[Name] extends { outcomes: infer Outcomes }
  ? OutcomeOf<Outcomes>
  : string[];

export type Call = <Name extends FunctionName>(
  name: Name,
  keys: KeysOf<Name>,
  args: ArgumentsOf<Name>,
) => Promise<ReplyOf<Name>>;

/**
 * Sends one FCALL: the keys after `events`, the words after prefix and nonce. Every function
 * answers with a list of words.
 */
export type SendCall = (
  name: FunctionName,
  keys: readonly string[],
  words: readonly (string | Buffer)[],
) => Promise<string[]>;

export function callOf(send: SendCall): Call {
  return async (name, keys, args) => {
    const { keys: keyNames } = functionTable[name];
    const inOrder = keyNames.map((key) => (keys as Record<string, string>)[key] ?? "");
    const words = await send(name, inOrder, encodeArgs(name, args));
    return replyOf(name, words) as ReplyOf<typeof name>;
  };
}

/**
 * Anything but the outcomes of the table means that the functions and this code do not belong
 * together.
 */
function replyOf(name: FunctionName, words: string[]): unknown {
  const entry = functionTable[name];
  if (!("outcomes" in entry)) return words;
  const [outcome = "", ...values] = words;
  const outcomes: Readonly<Record<string, readonly string[]>> = entry.outcomes;
  const details = Object.hasOwn(outcomes, outcome) ? outcomes[outcome] : undefined;
  if (details === undefined)
    throw new SettError(
      "internal",
      `The function ${name} answered "${outcome}", which was not expected.`,
    );
  return Object.fromEntries([
    ["outcome", outcome],
    ...details.map((detail, place) => [detail, values[place] ?? ""]),
  ]);
}

/** For a function that refuses nothing in the ordinary course of things: a refusal is an error. */
export function unlessRefused<Reply extends { outcome: string }>(
  reply: Reply,
): Exclude<Reply, { outcome: "refused" }> {
  if (reply.outcome === "refused" && "reason" in reply)
    throw new SettError("blackboard-refused", `The blackboard refused a write: ${reply.reason}`);
  return reply as Exclude<Reply, { outcome: "refused" }>;
}
