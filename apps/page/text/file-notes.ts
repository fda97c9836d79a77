// Says what a person must know of a changed file besides its lines, in words. Pure.
import type { FileDiff } from "./git-diff.ts";
import { visibleCharacters } from "./visible-text.ts";
import { byteSize } from "./words.ts";

/** The hashes of no bytes, with both of git's functions. */
const emptyHashes = [
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];
const link = "120000";
const submodule = "160000";
const executable = "100755";
const ordinary = "100644";

/** `new, executable`, `renamed from a.txt`, `binary`: for the line with its name. */
export function notesOf(file: FileDiff): string[] {
  const { kind, from, oldMode, newMode, isBinary } = file;
  return [
    ...(from === undefined
      ? kind === "changed"
        ? []
        : [kind]
      : [`${kind} from ${shownPath(from)}`]),
    ...modeNotes(oldMode, newMode),
    ...(isBinary ? ["binary", ...sizeNotes(file)] : []),
    ...(isEmpty(file) ? ["empty"] : []),
    ...lineEndNotes(file),
  ];
}

function modeNotes(oldMode: string | undefined, newMode: string | undefined): string[] {
  const mode = newMode ?? oldMode;
  if (oldMode !== undefined && newMode !== undefined && oldMode !== newMode) {
    if (oldMode === ordinary && newMode === executable) return ["executable now"];
    if (oldMode === executable && newMode === ordinary) return ["no longer executable"];
    return [`${nameOfMode(newMode)} now, before ${nameOfMode(oldMode)}`];
  }
  return mode === undefined || mode === ordinary ? [] : [nameOfMode(mode)];
}

function nameOfMode(mode: string): string {
  if (mode === link) return "symbolic link";
  if (mode === submodule) return "submodule";
  if (mode === executable) return "executable";
  return mode === ordinary ? "ordinary file" : `mode ${mode}`;
}

/** `2.0 kB → 3.0 kB`; of a new or deleted file its size. */
function sizeNotes({ kind, oldSize, newSize }: FileDiff): string[] {
  if (oldSize === undefined || newSize === undefined) return [];
  if (kind === "new") return [byteSize(newSize)];
  return [kind === "deleted" ? byteSize(oldSize) : `${byteSize(oldSize)} → ${byteSize(newSize)}`];
}

function isEmpty({ kind, lines, isBinary, oldHash, newHash }: FileDiff): boolean {
  const hash = kind === "new" ? newHash : kind === "deleted" ? oldHash : undefined;
  return (
    lines.length === 0 &&
    !isBinary &&
    hash !== undefined &&
    emptyHashes.some((empty) => empty.startsWith(hash))
  );
}

/** The end of a symbolic link, and of a submodule, is always without a line break. */
function lineEndNotes({ kind, lines, oldMode, newMode }: FileDiff): string[] {
  const notes = hasCarriageReturns(lines) ? ["lines end with CR LF"] : [];
  if ((newMode ?? oldMode) === link) return notes;
  const marked = lines.flatMap((_, at) =>
    lines[at + 1]?.startsWith("\\") ? [lines[at]?.[0] ?? ""] : [],
  );
  const [before, after] = [
    marked.some((sign) => sign !== "+"),
    marked.some((sign) => sign !== "-"),
  ];
  if (before && after) return [...notes, "no line break at the end"];
  if (after)
    return [...notes, kind === "new" ? "no line break at the end" : "no line break at the end now"];
  if (before)
    return [
      ...notes,
      kind === "deleted" ? "no line break at the end" : "a line break at the end now",
    ];
  return notes;
}

/**
 * Says whether all lines have one: only then it can be said once. Elsewhere it is shown, so that a
 * line which gains one is seen.
 */
export function hasCarriageReturns(lines: readonly string[]): boolean {
  const content = lines.filter((line) => /^[ +-]/.test(line));
  return content.length > 0 && content.every((line) => line.endsWith("\r"));
}

/** In the place of the lines, where there are none. */
export function contentNote(file: FileDiff): string {
  const { kind, isBinary, percent, oldHash, oldMode, newMode } = file;
  if (isBinary && kind !== "new" && kind !== "deleted")
    return "A binary file. Its content changes, and is not shown.";
  if (isBinary) return "A binary file. Its content is not shown.";
  if (isEmpty(file)) return "An empty file.";
  const isMoved = (kind === "renamed" || kind === "copied") && percent === 100;
  const isOnlyMode = kind === "changed" && oldMode !== newMode;
  if (oldHash === undefined && (isMoved || isOnlyMode)) return "Its content is the same.";
  return "Its content is not shown.";
}

/** Names what cannot be seen: two names of files must not look the same. */
export function shownPath(path: string): string {
  const named = path.replace(/^ | $/g, "‹SP›").replaceAll("\t", "‹TAB›").replaceAll("\n", "‹LF›");
  return visibleCharacters(named);
}
