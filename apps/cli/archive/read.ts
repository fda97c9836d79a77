// Reads an archive line by line. Only its end shows that it is complete.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { clauseOf, SettError } from "../../../lib/model/errors.ts";
import { parseJson } from "../../../lib/model/json.ts";
import { ArchiveHeader, ArchiveLine } from "./format.ts";

type Line = { header: ArchiveHeader } | ArchiveLine;

/** A line is there in the file, in bytes. */
export type Place = { from: number; length: number };

/** Throws `archive-unusable` for a file that is no archive, and at the end of a damaged one. */
export async function* readArchive(path: string): AsyncGenerator<Line> {
  for await (const { line } of placedLines(path)) yield line;
}

/** The artefacts of lines that were read before. */
export async function linesAt(path: string, places: readonly Place[]) {
  await using file = await open(path);
  const lines = [];
  for (const { from, length } of places) {
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, from);
    const line = ArchiveLine.safeParse(parseJson(buffer.toString())).data;
    if (line === undefined || !("artefact" in line))
      throw unusable(path, "has changed while it was read");
    lines.push(line);
  }
  return lines;
}

/** Each line as it is, also what this version does not know. */
export async function* readJson(path: string): AsyncGenerator<unknown> {
  for await (const text of linesOf(path)) yield parseJson(text);
}

/** Throws as `readArchive`. */
export async function* placedLines(path: string): AsyncGenerator<{ line: Line; place: Place }> {
  const hash = createHash("sha256");
  let [lines, from] = [0, 0];
  let seal: { lines: number; sha256: string } | undefined;
  for await (const text of linesOf(path)) {
    const json = parseJson(text);
    const place = { from, length: Buffer.byteLength(text) };
    if (lines === 0) {
      const header = ArchiveHeader.safeParse(json);
      if (!header.success) throw unusable(path, "is not an archive of `sett prune`");
      yield { line: { header: header.data }, place };
    } else {
      if (seal !== undefined || json === undefined)
        throw unusable(path, `is damaged at line ${lines + 1}`);
      const line = ArchiveLine.safeParse(json).data;
      if (line !== undefined && "seal" in line) {
        seal = line.seal;
        if (seal.lines !== lines || seal.sha256 !== hash.copy().digest("hex"))
          throw unusable(path, "is damaged: its content does not match its last line");
      }
      if (line !== undefined) yield { line, place };
    }
    from += place.length + 1;
    hash.update(`${text}\n`);
    lines += 1;
  }
  if (seal === undefined)
    throw unusable(path, lines === 0 ? "is empty" : "is not complete: its last line is missing");
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    const input = createReadStream(path, "utf8");
    // A payload may contain other line separators, which do not end a line here.
    yield* splitLines(input);
  } catch (error) {
    if (error instanceof SettError) throw error;
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw new SettError("archive-unusable", `There is no file ${path}.`, {
        hint: "Name a file that `sett prune` has written.",
      });
    throw new SettError("archive-unusable", `${path} cannot be read: ${clauseOf(error)}.`, {
      cause: error,
    });
  }
}

async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let parts: string[] = [];
  for await (const chunk of chunks) {
    const pieces = chunk.split("\n");
    const last = pieces.pop() ?? "";
    for (const piece of pieces) {
      yield parts.join("") + piece;
      parts = [];
    }
    if (last !== "") parts.push(last);
  }
  if (parts.length > 0) yield parts.join("");
}

function unusable(path: string, what: string): SettError {
  return new SettError("archive-unusable", `${path} ${what}.`, {
    hint: "If you have another copy of it, use that one.",
  });
}
