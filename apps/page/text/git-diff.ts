// Reads what `git diff` says of each file. The parsers of others pass over what has no lines:
// binary files, modes, empty files. Pure.
import { nameAfter, nameOfHead } from "./git-names.ts";

export type FileDiff = {
  kind: "new" | "deleted" | "renamed" | "copied" | "changed";
  /** After the change; of a deleted file before it. */
  path: string;
  /** Before a renaming, or of what it is a copy. */
  from?: string;
  /** `100644`, `100755`, `120000` of a symbolic link, `160000` of a submodule. */
  oldMode?: string;
  newMode?: string;
  /** The hashes of its content, shortened. Git names none where the content is the same. */
  oldHash?: string;
  newHash?: string;
  /** The share of the content that is the same, of a file that is renamed or copied: 100 is all. */
  percent?: number;
  isBinary: boolean;
  /** The sizes of a binary file, in bytes: 0 where there is none before or after. */
  oldSize?: number;
  newSize?: number;
  /** The lines from the first `@@` on, as git writes them. */
  lines: string[];
  /** The lines that are not understood here. They must be shown as they are. */
  unread: string[];
};

/** `before`: the lines before the first file, which are about commits. */
export function readGitDiff(text: string): { before: string; files: FileDiff[] } {
  // Other characters that end a line for a regular expression may be in the message of a commit,
  // and in a file.
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const heads = lines.flatMap((line, at) =>
    /^diff --(?:git|cc|combined) /.test(line) ? [at] : [],
  );
  const files = heads.map((head, at) => fileOf(lines.slice(head, heads[at + 1])));
  return { before: lines.slice(0, heads[0]).join("\n").trimEnd(), files };
}

function fileOf([head = "", ...rest]: string[]): FileDiff {
  const ofMerge = /^diff --(?:cc|combined) (.*)$/.exec(head);
  if (ofMerge !== null) return { ...changed(nameAfter("", ofMerge[1] ?? "")), unread: rest };
  const start = rest.findIndex((line) => line.startsWith("@@ "));
  const headers = start === -1 ? rest : rest.slice(0, start);
  const file = changed(nameOfHead(head.slice("diff --git ".length)));
  for (const line of headers) if (!readHeader(file, line)) file.unread.push(line);
  for (const line of start === -1 ? [] : rest.slice(start)) {
    if (/^(?:[ +\-\\]|@@ |$)/.test(line)) file.lines.push(line === "" ? " " : line);
    else file.unread.push(line);
  }
  return file;
}

function changed(path: string): FileDiff {
  return { kind: "changed", path, isBinary: false, lines: [], unread: [] };
}

const header =
  /^(old mode|new mode|new file mode|deleted file mode|similarity index|dissimilarity index|(?:rename|copy) (?:from|to)|index|---|\+\+\+|Binary files|Bin) (.*)$/s;

/** Says whether the line is understood. */
function readHeader(file: FileDiff, line: string): boolean {
  const [, name, value = ""] = header.exec(line) ?? [];
  switch (name) {
    case "old mode":
      file.oldMode = value;
      return true;
    case "new mode":
      file.newMode = value;
      return true;
    case "new file mode":
      Object.assign(file, { kind: "new", newMode: value });
      return true;
    case "deleted file mode":
      Object.assign(file, { kind: "deleted", oldMode: value });
      return true;
    case "similarity index":
      file.percent = Number.parseInt(value, 10);
      return true;
    case "dissimilarity index":
      return true;
    case "rename from":
    case "copy from":
      file.from = nameAfter("", value);
      return true;
    case "rename to":
    case "copy to":
      Object.assign(file, {
        kind: name === "copy to" ? "copied" : "renamed",
        path: nameAfter("", value),
      });
      return true;
    case "index":
      return readIndex(file, value);
    case "---":
      if (file.kind === "deleted") file.path = nameAfter("a/", value);
      return true;
    case "+++":
      if (file.kind === "new" || file.kind === "changed") file.path = nameAfter("b/", value);
      return true;
    case "Binary files":
      file.isBinary = value.endsWith(" differ");
      return file.isBinary;
    case "Bin":
      return readSizes(file, value);
    default:
      return false;
  }
}

function readIndex(file: FileDiff, value: string): boolean {
  const [, oldHash, newHash, mode] = /^([0-9a-f]+)\.\.([0-9a-f]+)(?: (\d+))?$/.exec(value) ?? [];
  if (oldHash === undefined || newHash === undefined) return false;
  Object.assign(
    file,
    { oldHash, newHash },
    mode === undefined ? {} : { oldMode: mode, newMode: mode },
  );
  return true;
}

function readSizes(file: FileDiff, value: string): boolean {
  const [, old, now] = /^(\d+) -> (\d+) bytes$/.exec(value) ?? [];
  if (old === undefined || now === undefined) return false;
  Object.assign(file, { oldSize: Number(old), newSize: Number(now) });
  return true;
}
