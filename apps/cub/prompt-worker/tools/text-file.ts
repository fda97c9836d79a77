// A text file of the workspace as tools change it. Its text is bytes, one character of latin1 for
// each, so that what is no UTF-8 comes back as it was.
import { Buffer } from "node:buffer";
import { type FileHandle, open, stat, writeFile } from "node:fs/promises";
import { messageOf } from "../../../../lib/model/errors.ts";
import { type Place, placeOf, type Workspace } from "../workspace.ts";
import { isBinary, sizeText } from "./read-file.ts";

const maxBytes = 10_000_000;
const byteOrderMark = "\u00ef\u00bb\u00bf";

/** `lineBreak`: CR LF where each of its lines ends so. `mark`: the byte order mark, or nothing. */
export type TextFile = {
  place: Extract<Place, { ok: true }>;
  mark: string;
  text: string;
  lineBreak: "\n" | "\r\n";
};

export type TextFileResult = { ok: true; file: TextFile } | { ok: false; reason: string };

/** A reason is a sentence for the model; it names the file. */
export async function readTextFile(workspace: Workspace, path: string): Promise<TextFileResult> {
  const refuse = (reason: string) => ({ ok: false, reason }) as const;
  const place = await placeOf(workspace, path, "write");
  if (!place.ok) return place;
  const { shown } = place;
  // To open a named pipe is to wait for its writer.
  const found = await stat(place.path).catch(() => undefined);
  if (found !== undefined && !found.isFile()) return refuse(`${shown} is not a file.`);
  const file = await open(place.path, "r").catch(() => undefined);
  if (file === undefined) return refuse(`There is no file ${shown} that can be read.`);
  try {
    const refusal = await refusalFor(file, shown);
    if (refusal !== undefined) return refuse(refusal);
    const bytes = (await file.readFile()).toString("latin1");
    return { ok: true, file: textFileOf(place, bytes) };
  } catch (error) {
    return refuse(`${shown} cannot be read: ${messageOf(error)}`);
  } finally {
    await file.close();
  }
}

export function textFileOf(place: TextFile["place"], bytes: string): TextFile {
  const mark = bytes.startsWith(byteOrderMark) ? byteOrderMark : "";
  const text = bytes.slice(mark.length);
  return { place, mark, text, lineBreak: lineBreakOf(text) };
}

export async function writeTextFile({ place, mark }: TextFile, text: string): Promise<void> {
  await writeFile(place.path, Buffer.from(mark + text, "latin1"));
}

async function refusalFor(file: FileHandle, shown: string): Promise<string | undefined> {
  const found = await file.stat();
  if (found.size > maxBytes)
    return `${shown} has ${sizeText(found.size)}, which is too much for this tool. Use \`run\`, for instance with sed.`;
  return (await isBinary(file))
    ? `${shown} is a binary file of ${sizeText(found.size)}: it cannot be edited as text.`
    : undefined;
}

function lineBreakOf(text: string): "\n" | "\r\n" {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text) ? "\r\n" : "\n";
}

/** Words of the model as bytes of such a file, with its line breaks. */
export function bytesFor({ lineBreak }: Pick<TextFile, "lineBreak">, words: string): string {
  const lines = lineBreak === "\r\n" ? words.replace(/\r?\n/g, lineBreak) : words;
  return Buffer.from(lines, "utf8").toString("latin1");
}

/** The bytes as people read them. */
export function wordsOf(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/**
 * Words of the model are UTF-8, and beyond ASCII they would be wrong in a file that is not. The
 * reason is a sentence for the model.
 */
export function encodingProblem({ place, text }: TextFile, words: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins at zero.
  if (/^[\x00-\x7f]*$/.test(words)) return undefined;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    decoder.decode(Buffer.from(text, "latin1"));
    return undefined;
  } catch {
    return `${place.shown} is no UTF-8, so that text beyond ASCII would be written with the wrong bytes. Use \`run\`, for instance with iconv.`;
  }
}
