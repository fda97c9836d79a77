// Reads a unified diff, with or without git's lines. The counts of its hunks are not relied on:
// models often get them wrong.
import type { FileChange, Hunk, ParsedPatch } from "./file-change.ts";
import { HunkLines, withoutSign } from "./hunk-lines.ts";

type Failed = { problem: string };
/** `null`: /dev/null. `hunks`: what has changed of the file. */
type Section = {
  old?: string | null;
  new?: string | null;
  isAdded: boolean;
  isDeleted: boolean;
  isExecutable?: boolean;
  hunks: Hunk[];
};

/** `from`: the first line of the diff. */
export function parseUnifiedDiff(lines: readonly string[], from: number): ParsedPatch {
  const changes: FileChange[] = [];
  for (let at = from; at < lines.length; ) {
    if (!isFileStart(lines, at)) {
      at++;
      continue;
    }
    const section: Section = { isAdded: false, isDeleted: false, hunks: [] };
    const head = readHead(lines, at, section);
    if ("problem" in head) return head;
    const body = readHunks(lines, head.next, section);
    if ("problem" in body) return body;
    const change = changeOf(section);
    if ("problem" in change) return change;
    changes.push(change);
    at = body.next;
  }
  return changes.length === 0 ? { problem: "The patch has no hunk." } : { changes };
}

function isFileStart(lines: readonly string[], at: number): boolean {
  return (lines[at] ?? "").startsWith("diff --git ") || isNames(lines, at);
}

/** In a hunk `--- x` may also be a line that goes: what follows it decides. */
function isNames(lines: readonly string[], at: number): boolean {
  const [first = "", second = "", third = ""] = lines.slice(at, at + 3);
  return first.startsWith("--- ") && second.startsWith("+++ ") && third.startsWith("@@");
}

function readHead(
  lines: readonly string[],
  from: number,
  section: Section,
): { next: number } | Failed {
  let at = from;
  const git = /^diff --git (?:"?a\/(.+?)"?) (?:"?b\/(.+?)"?)$/.exec(lines[at] ?? "");
  if ((lines[at] ?? "").startsWith("diff --git ")) {
    at++;
    // Git names a file twice here: two names are those of a move, and follow.
    const [, old, now] = git ?? [];
    if (old !== undefined && old === now) Object.assign(section, { old, new: now });
  }
  for (; at < lines.length && !isNames(lines, at); at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("diff --git ") || line.startsWith("@@")) return { next: at };
    const [, word = "", rest = ""] =
      /^(new file mode|deleted file mode|new mode|rename from|rename to|copy from|GIT binary patch|Binary files)(?: (.*))?$/.exec(
        line,
      ) ?? [];
    if (word === "GIT binary patch" || word === "Binary files" || word === "copy from")
      return {
        problem: `Line ${at + 1} of the patch is of a ${word === "copy from" ? "copy" : "binary file"}, which this tool cannot do. Use \`run\` for it.`,
      };
    if (word === "new file mode") section.isAdded = true;
    if (word === "deleted file mode") section.isDeleted = true;
    if (word === "rename from") section.old = rest;
    if (word === "rename to") section.new = rest;
    if (word === "new mode" || word === "new file mode") section.isExecutable = rest === "100755";
  }
  if (at >= lines.length) return { next: at };
  [section.old, section.new] = namesIn(lines[at] ?? "", lines[at + 1] ?? "");
  return { next: at + 2 };
}

/** `a/` and `b/` are git's, unless only one of the two lines has its own. */
function namesIn(oldLine: string, newLine: string): [string | null, string | null] {
  const [old, now] = [oldLine, newLine].map((line) => line.slice(4).replace(/\t.*$/, "").trimEnd());
  const isNone = (name = "") => name === "/dev/null";
  const has = (name: string | undefined, prefix: string) =>
    isNone(name) || (name ?? "").replace(/^"/, "").startsWith(prefix);
  const isGits = has(old, "a/") && has(now, "b/");
  const plain = (name = "") => (isGits ? name.replace(/^("?)[ab]\//, "$1") : name);
  return [isNone(old) ? null : plain(old), isNone(now) ? null : plain(now)];
}

function readHunks(
  lines: readonly string[],
  from: number,
  section: Section,
): { next: number } | Failed {
  let at = from;
  while (at < lines.length && !isFileStart(lines, at)) {
    const line = lines[at] ?? "";
    const [, start, oldCount = "1", newCount = "1"] =
      /^@@+ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
    if (!line.startsWith("@@")) {
      // Behind the last hunk there may be the signature of a mail.
      if (line.trim() !== "" && section.hunks.length === 0) return withoutSign(line, at);
      at++;
      continue;
    }
    const hunk = new HunkLines([], start === undefined ? undefined : Number(start));
    const isWhole = () =>
      start !== undefined &&
      hunk.counts.old >= Number(oldCount) &&
      hunk.counts.new >= Number(newCount);
    for (at++; at < lines.length && !isFileStart(lines, at); at++) {
      const next = lines[at] ?? "";
      if (next.startsWith("@@") || (isWhole() && /^(?:-- ?$|From [0-9a-f]{40} )/.test(next))) break;
      if (!hunk.take(next)) return withoutSign(next, at);
    }
    section.hunks.push(hunk.hunk);
  }
  return { next: at };
}

function changeOf({
  old,
  new: now,
  isAdded,
  isDeleted,
  isExecutable,
  hunks,
}: Section): FileChange | Failed {
  const mode = isExecutable === undefined ? {} : { isExecutable };
  const path = now ?? old ?? undefined;
  if (path === undefined || path === "") return { problem: "The patch names no file." };
  if (isDeleted || now === null) return { kind: "delete", path: old ?? path, hunks };
  if (isAdded || old === null) {
    const added = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === "new"));
    const text = added.map((line) => line.text).join("\n");
    const hasBreak = added.length > 0 && hunks.at(-1)?.lacksBreak.new !== true;
    return { kind: "add", path, content: hasBreak ? `${text}\n` : text, ...mode };
  }
  const to = old !== undefined && old !== now ? { to: path } : {};
  return { kind: "update", path: old ?? path, ...to, hunks, ...mode };
}
