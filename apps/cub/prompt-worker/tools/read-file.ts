// The tool that reads a part of a text file.
import { Buffer } from "node:buffer";
import { type FileHandle, open, stat } from "node:fs/promises";
import { z } from "zod";
import { defineTool, output, type Tool } from "../tool.ts";
import { placeOf, type Workspace } from "../workspace.ts";

const maxLines = 2_000;
export const maxLength = 50_000;
const maxLineLength = 2_000;
const chunkBytes = 64 * 1024;
/** A NUL here shows a binary file, as git judges it. */
const sampleBytes = 8_000;
const lineBreak = 10;

export function readFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "read_file",
    description:
      `Returns lines of a text file of the workspace, each behind its number, as in \`12: text\`; at most ${maxLines} lines and ${maxLength} characters at once. ` +
      "A file that is longer says so at its end: ask for the next lines with `from`.",
    input: z.strictObject({
      path: z.string().min(1).describe("Relative to the workspace."),
      from: z.int().min(1).default(1).describe("The first line; the first of the file is 1."),
      to: z.int().min(1).optional().describe("The last line."),
    }),
    use: async ({ path, from, to }, signal) => {
      const place = await placeOf(workspace, path, "read");
      if (!place.ok) return output(place.reason);
      const found = await stat(place.path).catch(() => undefined);
      if (found === undefined)
        return output(`There is no file ${place.shown}. \`list_files\` shows the names.`);
      if (found.isDirectory())
        return output(`${place.shown} is a folder. \`list_files\` shows what is in it.`);
      if (!found.isFile()) return output(`${place.shown} is neither a file nor a folder.`);
      if (found.size === 0) return output(`${place.shown} is empty.`);
      const file = await open(place.path, "r").catch((error: Error) => error);
      if (file instanceof Error) return output(`${place.shown} cannot be read: ${file.message}`);
      try {
        if (await isBinary(file))
          return output(
            `${place.shown} is a binary file of ${sizeText(found.size)}, and is not shown. Use \`run\` to examine it.`,
          );
        const last = Math.min(to ?? Number.POSITIVE_INFINITY, from + maxLines - 1);
        return output(
          partText(await readLines(file, from, last, signal), {
            shown: place.shown,
            from,
            wantsEnd: to ?? Number.POSITIVE_INFINITY,
            bytes: found.size,
          }),
        );
      } finally {
        await file.close();
      }
    },
  });
}

export async function isBinary(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0);
  return buffer.subarray(0, bytesRead).includes(0);
}

export function sizeText(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  return bytes < 10_000_000
    ? `${Math.round(bytes / 1_000)} kB`
    : `${Math.round(bytes / 1_000_000)} MB`;
}

/** `isEnd`: the file has no line after these. */
type Part = { lines: string[]; isEnd: boolean };

/**
 * Reads in pieces, and keeps no more than what is shown: a line, or the file, may have gigabytes.
 */
async function readLines(
  file: FileHandle,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<Part> {
  const buffer = Buffer.alloc(chunkBytes);
  const begin = await offsetOfLine(file, from, buffer, signal);
  const part: Part = { lines: [], isEnd: false };
  const decoder = new TextDecoder();
  let [line, isLineCut, length, position] = ["", false, 0, begin];
  const endLine = (): boolean => {
    part.lines.push(isLineCut ? `${line}… [the rest of the line is left out]` : line);
    length += line.length;
    [line, isLineCut] = ["", false];
    return part.lines.length > to - from || length > maxLength;
  };
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    const pieces = decoder
      .decode(buffer.subarray(0, bytesRead), { stream: bytesRead > 0 })
      .split("\n");
    position += bytesRead;
    for (const [index, piece] of pieces.entries()) {
      if (!isLineCut) line += piece;
      if (line.length > maxLineLength)
        [line, isLineCut] = [line.slice(0, maxLineLength).toWellFormed(), true];
      if (index < pieces.length - 1 && endLine()) {
        const isLast = index === pieces.length - 2 && pieces.at(-1) === "";
        return {
          ...part,
          isEnd: isLast && (await file.read(Buffer.alloc(1), 0, 1, position)).bytesRead === 0,
        };
      }
    }
    if (bytesRead === 0) {
      // A file that ends in a line break has no line after it.
      if (line !== "" || isLineCut) endLine();
      return { ...part, isEnd: true };
    }
  }
}

/**
 * Returns a place in bytes; the end of the file where it has fewer lines. A line break is one byte
 * in UTF-8, and no part of another character.
 */
async function offsetOfLine(
  file: FileHandle,
  wanted: number,
  buffer: Buffer,
  signal: AbortSignal,
): Promise<number> {
  let [line, position] = [1, 0];
  while (line < wanted) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    let at = chunk.indexOf(lineBreak);
    for (; at !== -1; at = chunk.indexOf(lineBreak, at + 1))
      if (++line === wanted) return position + at + 1;
    position += bytesRead;
  }
  return position;
}

function partText(
  { lines, isEnd }: Part,
  file: { shown: string; from: number; wantsEnd: number; bytes: number },
): string {
  const { shown, from, wantsEnd, bytes } = file;
  if (lines.length === 0) return `${shown} has no line ${from}: it ends before.`;
  const last = from + lines.length - 1;
  const text = [
    ...lines.map((line, at) => `${from + at}: ${withoutReturn(line)}`),
    ...about(lines),
  ].join("\n");
  if (isEnd && from === 1) return text;
  if (isEnd) return `${text}\n[the end of ${shown}, line ${last}]`;
  const why =
    last >= wantsEnd ? "" : ` That is all that is shown at once; go on with from: ${last + 1}.`;
  return `${text}\n[lines ${from} to ${last} of ${shown}, which goes on: ${sizeText(bytes)} in all.${why}]`;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Says what the lines do not show. */
function about(lines: readonly string[]): string[] {
  const returns = lines.filter((line) => line.endsWith("\r")).length;
  // The last line of a file may have no line break.
  const isAll = returns >= Math.max(1, lines.length - 1);
  return [
    ...(returns === 0 ? [] : [`[${isAll ? "the" : `${returns} of the`} lines end in CR LF]`]),
    ...(lines.some((line) => line.includes("\ufffd"))
      ? ["[bytes that are no UTF-8 are shown as \ufffd]"]
      : []),
  ];
}
