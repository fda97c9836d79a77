// Reads the form that models of OpenAI know: `*** Begin Patch`, a part for each file, hunks behind
// `@@` without numbers, `*** End Patch`.
import type { FileChange, Hunk, ParsedPatch } from "./file-change.ts";
import { HunkLines, withoutSign } from "./hunk-lines.ts";

type Part = { changes: FileChange[]; next: number };
type Failed = { problem: string };

/** `from`: the first line of the patch. */
export function parseMarkedPatch(lines: readonly string[], from: number): ParsedPatch {
  const changes: FileChange[] = [];
  for (let at = from; at < lines.length; ) {
    const line = lines[at] ?? "";
    if (isMark(line, "End Patch")) break;
    if (isMark(line, "Begin Patch") || line.trim() === "") {
      at++;
      continue;
    }
    const part = partAt(lines, at);
    if ("problem" in part) return part;
    changes.push(...part.changes);
    at = part.next;
  }
  return changes.length === 0 ? { problem: "The patch names no file." } : { changes };
}

function partAt(lines: readonly string[], at: number): Part | Failed {
  const line = lines[at] ?? "";
  const [, verb, named = ""] = /^\*\*\* (Add|Update|Delete) File:(.*)$/.exec(line) ?? [];
  const path = pathIn(named);
  if (verb === undefined) return misplaced(line, at);
  if (path === "") return { problem: `Line ${at + 1} of the patch names no file.` };
  switch (verb) {
    case "Add":
      return addedAt(lines, at + 1, path);
    case "Delete":
      return { changes: [{ kind: "delete", path, hunks: [] }], next: at + 1 };
    default:
      return updatedAt(lines, at + 1, path);
  }
}

function addedAt(lines: readonly string[], from: number, path: string): Part | Failed {
  const content: string[] = [];
  let at = from;
  for (; at < lines.length && !isAnyMark(lines[at] ?? ""); at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("+")) content.push(line.slice(1));
    else if (line.trim() === "" && lines.slice(at).some((next) => next.startsWith("+")))
      content.push("");
    else if (line.trim() !== "")
      return {
        problem: `Line ${at + 1} of the patch is in a new file, and does not begin with \`+\`.`,
      };
  }
  const text = content.map((line) => `${line}\n`).join("");
  return { changes: [{ kind: "add", path, content: text }], next: at };
}

function updatedAt(lines: readonly string[], from: number, path: string): Part | Failed {
  const moved = /^\*\*\* Move to:(.*)$/.exec(lines[from] ?? "")?.[1];
  const to = moved === undefined ? undefined : pathIn(moved);
  const hunks: Hunk[] = [];
  let [anchors, hunk]: [string[], HunkLines | undefined] = [[], undefined];
  const end = () => {
    if (hunk !== undefined) hunks.push(hunk.hunk);
    hunk = undefined;
  };
  let at = moved === undefined ? from : from + 1;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("@@")) {
      end();
      const anchor = line.replace(/^@@ ?/, "").replace(/\s*@@\s*$/, "");
      const [, number] = /^-(\d+)(?:,\d+)? \+\d+/.exec(anchor) ?? [];
      if (number !== undefined) hunk = new HunkLines([], Number(number));
      else if (anchor.trim() !== "") anchors.push(anchor);
      continue;
    }
    if (isMark(line, "End of File")) hunk?.endFile();
    else if (isAnyMark(line)) break;
    else {
      if (hunk === undefined && line === "") continue;
      hunk ??= new HunkLines(anchors);
      anchors = [];
      if (!hunk.take(line)) return withoutSign(line, at);
    }
  }
  end();
  return { changes: [{ kind: "update", path, ...(to !== undefined && { to }), hunks }], next: at };
}

function misplaced(line: string, at: number): Failed {
  return {
    problem: `Line ${at + 1} of the patch is in no file's part: ${JSON.stringify(line.slice(0, 100).toWellFormed())}.`,
  };
}

/** Models also write `*** Update File: PATH ***`. */
function pathIn(named: string): string {
  return named.replace(/ \*\*\*\s*$/, "").trim();
}

function isMark(line: string, words: string): boolean {
  return line.startsWith(`*** ${words}`);
}

function isAnyMark(line: string): boolean {
  return /^\*\*\* (?:Begin Patch|End Patch|(?:Add|Update|Delete) File:|End of File|Move to:)/.test(
    line,
  );
}
