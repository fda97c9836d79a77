// Reads a patch in the forms that models know: `*** Begin Patch`, or a unified diff.
import type { ParsedPatch } from "./file-change.ts";
import { parseMarkedPatch } from "./parse-marked-patch.ts";
import { parseUnifiedDiff } from "./parse-unified-diff.ts";

/** Lines before and after the patch, such as a fence of Markdown, are left out. */
export function parsePatch(text: string): ParsedPatch {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const isMarked = (line: string) =>
    /^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File:)/.test(line);
  const marked = lines.findIndex(isMarked);
  if (marked !== -1) return parseMarkedPatch(lines, marked);
  const unified = lines.findIndex(
    (line, at) =>
      line.startsWith("diff --git ") ||
      (line.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ")),
  );
  if (unified !== -1) return parseUnifiedDiff(withoutFence(lines), unified);
  return {
    problem:
      "It is no patch: it has neither `*** Begin Patch` with `*** Update File: PATH`, nor the `--- a/PATH` and `+++ b/PATH` of a unified diff.",
  };
}

function withoutFence(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line !== "");
  return lines[last]?.startsWith("```") ? lines.slice(0, last) : lines;
}
