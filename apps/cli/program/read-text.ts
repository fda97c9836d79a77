// Reads the text of a goal, an answer or a reason: from the command line, or from stdin for `-`.
import { Buffer } from "node:buffer";
import { aborted } from "../../../lib/async/sleep.ts";
import { maxPayloadBytes } from "../../../lib/model/artefact.ts";
import { SettError, type SettErrorCode } from "../../../lib/model/errors.ts";
import type { Shell } from "../terminal/shell.ts";

type Kind = { name: string; code: SettErrorCode; hintIfEmpty: string; hintIfTooLong: string; nothingDone: string };

const goal: Kind = {
  name: "goal",
  code: "goal-invalid",
  hintIfEmpty: 'Say what is to be done: --goal "Write the changelog"',
  hintIfTooLong: "Commit the long text to the repository, and name its path in the goal.",
  nothingDone: "no goal was posted",
};
const answer: Kind = {
  name: "answer",
  code: "usage",
  hintIfEmpty: 'No answer was posted. Write one, for example "The green one".',
  hintIfTooLong: "No answer was posted. Commit the long text to the repository, and name its path in the answer.",
  nothingDone: "no answer was posted",
};

const reason: Kind = {
  name: "reason",
  code: "usage",
  hintIfEmpty: 'Say what must be better: --reason "The date is wrong"',
  hintIfTooLong: "Nothing was rejected. Commit the long text to the repository, and name its path in the reason.",
  nothingDone: "nothing was rejected",
};

type From = Pick<Shell, "stdin" | "interrupted">;

/** Byte for byte. Throws `goal-invalid` for a text that is empty, too long, or not UTF-8. */
export function readGoalText(argument: string, shell: From): Promise<string> {
  return readText(argument, goal, shell);
}

/** The same for an answer. Throws `usage`. */
export function readAnswerText(argument: string, shell: From): Promise<string> {
  return readText(argument, answer, shell);
}

/** The same for the reason of a rejection. Throws `usage`. */
export function readReasonText(argument: string, shell: From): Promise<string> {
  return readText(argument, reason, shell);
}

/** Throws `usage` for an answer that is empty or too long. */
export function checkAnswerText(text: string): string {
  return checked(text, answer);
}

/** Throws `usage` where the bytes are not UTF-8. `where` names their source in the message. */
export function decodeAnswer(bytes: Uint8Array, where: string): string {
  return decoded(bytes, answer, where);
}

async function readText(argument: string, kind: Kind, shell: From): Promise<string> {
  if (argument !== "-") return checked(argument, kind);
  return checked(await Promise.race([readStdin(shell.stdin(), kind), interruption(shell.interrupted, kind)]), kind);
}

function checked(text: string, kind: Kind): string {
  if (text.trim() === "") throw new SettError(kind.code, `The ${kind.name} is empty.`, { hint: kind.hintIfEmpty });
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
    throw new SettError(kind.code, `The ${kind.name} ${where} is not UTF-8 text.`, {
      hint: "Write it as UTF-8 text.",
      cause,
    });
  }
}

async function interruption(signal: AbortSignal, { name, nothingDone }: Kind): Promise<never> {
  await aborted(signal);
  throw new SettError("interrupted", `Interrupted before the ${name} was read: ${nothingDone}.`);
}

function tooLong({ name, code, hintIfTooLong }: Kind): SettError {
  return new SettError(code, `The ${name} is longer than 16 MiB.`, { hint: hintIfTooLong });
}
