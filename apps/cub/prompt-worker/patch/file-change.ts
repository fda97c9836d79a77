// A patch says this of a file, whichever form it is written in.

export type HunkLine = { kind: "same" | "old" | "new"; text: string };

/**
 * `anchors`: lines of the file behind which it is, from the outermost on. `line`: where the patch
 * says that its first line is, from 1; it may be wrong. `isAtEnd`: it ends with the file.
 * `lacksBreak`: the file's last line has no line break, before and after.
 */
export type Hunk = {
  anchors: readonly string[];
  line?: number;
  lines: readonly HunkLine[];
  isAtEnd: boolean;
  lacksBreak: { old: boolean; new: boolean };
};

/**
 * Paths are as the patch has them, relative to the workspace. `to`: its new path. `hunks` of a
 * deletion: what the file is said to have.
 */
export type FileChange =
  | { kind: "add"; path: string; content: string; isExecutable?: boolean }
  | { kind: "delete"; path: string; hunks: readonly Hunk[] }
  | { kind: "update"; path: string; to?: string; hunks: readonly Hunk[]; isExecutable?: boolean };

/** `problem`: a sentence for the model. */
export type ParsedPatch = { changes: readonly FileChange[] } | { problem: string };
