// What a person gives as a goal, an answer or a reason: on the command line, or on stdin for `-`.
import { Buffer } from "node:buffer";
import { aborted } from "../../../lib/async/sleep.ts";
import { maxPayloadBytes } from "../../../lib/model/artefact.ts";
import { SettError, type SettErrorCode } from "../../../lib/model/errors.ts";
import type { Shell } from "../terminal/shell.ts";

type Kind = { name: string; code: SettErrorCode; whenEmpty: string; whenLong: string; nothingDone: string };

const goal: Kind = {
  name: "goal",
  code: "goal-invalid",
  whenEmpty: 'Say what is to be done: --goal "Write the changelog"',
  whenLong: "Commit what is large to the repository, and name its path in the goal.",
  nothingDone: "nothing was stated",
};
const answer: Kind = {
  name: "answer",
  code: "usage",
  whenEmpty: 'Nothing was answered. Say something, such as "The green one".',
  whenLong: "Nothing was answered. Commit what is large to the repository, and name its path in the answer.",
  nothingDone: "nothing was answered",
};

const reason: Kind = {
  name: "reason",
  code: "usage",
  whenEmpty: 'Say what is to be done better: --reason "The date is wrong"',
  whenLong: "Nothing was rejected. Commit what is large to the repository, and name its path in the reason.",
  nothingDone: "nothing was rejected",
};

type From = Pick<Shell, "stdin" | "interrupted">;

/** Byte for byte. Throws `goal-invalid` when it is empty, too long, or no text. */
export function readGoalText(given: string, shell: From): Promise<string> {
  return readText(given, goal, shell);
}

/** The same for an answer. Throws `usage`. */
export function readAnswerText(given: string, shell: From): Promise<string> {
  return readText(given, answer, shell);
}

/** The same for the reason of a rejection. Throws `usage`. */
export function readReasonText(given: string, shell: From): Promise<string> {
  return readText(given, reason, shell);
}

/** Throws `usage` for an answer that is empty or too long. */
export function checkAnswerText(text: string): string {
  return checked(text, answer);
}

/** Throws `usage` where the bytes are no text. `where`: how a person knows them. */
export function decodeAnswer(bytes: Uint8Array, where: string): string {
  return decoded(bytes, answer, where);
}

async function readText(given: string, kind: Kind, shell: From): Promise<string> {
  if (given !== "-") return checked(given, kind);
  return checked(await Promise.race([readStdin(shell.stdin(), kind), interruption(shell.interrupted, kind)]), kind);
}

function checked(text: string, kind: Kind): string {
  if (text.trim() === "") throw new SettError(kind.code, `The ${kind.name} is empty.`, { hint: kind.whenEmpty });
  if (Buffer.byteLength(text) > maxPayloadBytes) throw tooLong(kind);
  return text;
}

async function readStdin(stdin: AsyncIterable<Uint8Array>, kind: Kind): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxPayloadBytes) throw tooLong(kind);
  }
  return decoded(Buffer.concat(chunks), kind, "on stdin");
}

function decoded(bytes: Uint8Array, kind: Kind, where: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new SettError(kind.code, `The ${kind.name} ${where} is not UTF-8 text.`, { hint: "Give it as text.", cause });
  }
}

async function interruption(signal: AbortSignal, { name, nothingDone }: Kind): Promise<never> {
  await aborted(signal);
  throw new SettError("interrupted", `Interrupted before the ${name} was read: ${nothingDone}.`);
}

function tooLong({ name, code, whenLong }: Kind): SettError {
  return new SettError(code, `The ${name} is longer than 16 MiB.`, { hint: whenLong });
}
