// Reads the text of a goal, an answer or a reason: from the command line, or from stdin for `-`.
import { Buffer } from "node:buffer";
import { aborted } from "../../../lib/async/sleep.ts";
import {
  checkedText,
  type TextKind,
  textKinds,
  tooLongText,
} from "../../../lib/client/actions/checked-text.ts";
import { maxPayloadBytes } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Shell } from "../terminal/shell.ts";
import { isOwnCommandLineUtf8 } from "./own-command-line.ts";

type From = Pick<Shell, "stdin" | "interrupted">;

/** Byte for byte. Throws `goal-invalid` for a text that is empty, too long, or not UTF-8. */
export function readGoalText(argument: string, shell: From): Promise<string> {
  return readText(argument, textKinds.goal, shell);
}

/** The same for an answer. Throws `usage`. */
export function readAnswerText(argument: string, shell: From): Promise<string> {
  return readText(argument, textKinds.answer, shell);
}

/** The same for the reason of a rejection. Throws `usage`. */
export function readReasonText(argument: string, shell: From): Promise<string> {
  return readText(argument, textKinds.reason, shell);
}

/** Throws `usage` for an answer that is empty or too long. */
export function checkAnswerText(text: string): string {
  return checkedText(text, textKinds.answer);
}

/** Throws `usage` where the bytes are not UTF-8. `where` names their source in the message. */
export function decodeAnswer(bytes: Uint8Array, where: string): string {
  return decoded(bytes, textKinds.answer, where);
}

async function readText(argument: string, kind: TextKind, shell: From): Promise<string> {
  if (argument !== "-") return checkedText(await unharmed(argument, kind), kind);
  return checkedText(
    await Promise.race([readStdin(shell.stdin(), kind), interruption(shell.interrupted, kind)]),
    kind,
  );
}

/**
 * The runtime writes `\ufffd` in place of bytes that are not UTF-8, but a person may have written
 * that, too.
 */
async function unharmed(argument: string, kind: TextKind): Promise<string> {
  if (argument.includes("\ufffd") && !(await isOwnCommandLineUtf8()))
    throw notUtf8(kind, "on the command line");
  return argument;
}

async function readStdin(stdin: AsyncIterable<Uint8Array>, kind: TextKind): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxPayloadBytes) throw tooLongText(kind);
  }
  return decoded(Buffer.concat(chunks), kind, "on stdin");
}

function decoded(bytes: Uint8Array, kind: TextKind, where: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw notUtf8(kind, where, cause);
  }
}

function notUtf8({ code, name }: TextKind, where: string, cause?: unknown): SettError {
  return new SettError(code, `The ${name} ${where} is not UTF-8 text.`, {
    hint: "Write it as UTF-8 text.",
    cause,
  });
}

async function interruption(signal: AbortSignal, { name, nothingDone }: TextKind): Promise<never> {
  await aborted(signal);
  throw new SettError("interrupted", `Interrupted before the ${name} was read: ${nothingDone}.`);
}
