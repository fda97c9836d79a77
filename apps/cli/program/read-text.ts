// Reads the text of a goal, an answer, a reason or an artefact: from the command line, or from
// stdin for `-`.
import { Buffer } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { aborted } from "../../../lib/async/sleep.ts";
import {
  checkedText,
  type TextKind,
  textKinds,
  tooLongText,
} from "../../../lib/client/actions/checked-text.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { maxPayloadBytes } from "../../../lib/model/artefact.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
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

/** The same for what a person says with an approval. Throws `usage`. */
export function readCommentText(argument: string, shell: From): Promise<string> {
  return readText(argument, textKinds.comment, shell);
}

/** The same for what a person tells running work. Throws `usage`. */
export function readRemarkText(argument: string, shell: From): Promise<string> {
  return readText(argument, textKinds.words, shell);
}

/** The same for the content of an artefact. Throws `usage`. */
export function readPostedText(argument: string, shell: From): Promise<string> {
  return readText(argument, textKinds.content, shell);
}

/** The whole file as text; `-` is stdin. `path`: from the folder of the shell. Throws `usage`. */
export async function readPostedFile(
  path: string,
  shell: From & Pick<Shell, "cwd">,
): Promise<string> {
  if (path === "-") return await readText("-", textKinds.content, shell);
  const bytes = await bytesOf(resolve(shell.cwd, path), oneLine(path));
  return checkedText(decoded(bytes, textKinds.content, `in ${oneLine(path)}`), textKinds.content);
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

/** `name`: as the person has typed it. */
async function bytesOf(path: string, name: string): Promise<Uint8Array> {
  const hint = "Name a file of UTF-8 text: --file draft.md";
  try {
    const { size } = await stat(path);
    if (size > maxPayloadBytes) throw tooLongText(textKinds.content);
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof SettError) throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    const problems: Record<string, string> = {
      ENOENT: `There is no file ${name}.`,
      EISDIR: `${name} is a folder.`,
    };
    const problem = problems[code ?? ""] ?? `${name} cannot be read: ${messageOf(cause)}`;
    throw new SettError("usage", problem, { hint, cause });
  }
}

function notUtf8(kind: TextKind, where: string, cause?: unknown): SettError {
  const isContent = kind === textKinds.content;
  const hint = `Write it as UTF-8 text${isContent ? ", or post it in a commit: --commit HEAD" : ""}.`;
  return new SettError(kind.code, `The ${kind.name} ${where} is not UTF-8 text.`, { hint, cause });
}

async function interruption(signal: AbortSignal, { name, nothingDone }: TextKind): Promise<never> {
  await aborted(signal);
  throw new SettError("interrupted", `Interrupted before the ${name} was read: ${nothingDone}.`);
}
