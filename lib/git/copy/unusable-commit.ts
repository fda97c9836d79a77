// Why a commit is not checked out.
import { SettError } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import type { FileCount } from "../../model/preparing.ts";
import { showName } from "../run/file-name.ts";

/**
 * `maxBytes`: of the files of a commit. `signal`: ends the work, which then throws. `onProgress`:
 * gets how many files are written, where that takes seconds.
 */
export interface CheckoutOptions {
  readonly onProgress?: (progress: FileCount) => void;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** How many submodules may still be filled, in all levels. */
  readonly submodules?: { left: number };
}

export class CommitTooLarge extends SettError {
  constructor(base: CommitHash) {
    super(
      "git-failed",
      `The files of the commit ${base} take more than \`resources.limits.disk\` allows.`,
      {
        hint: "Raise it for the agent in sett.yml, or find out who has made the commit.",
      },
    );
  }
}

/** `path`: in latin1, of which so many bytes are shown. */
export class PathTooLong extends SettError {
  constructor(base: CommitHash, path: string, shown = 60) {
    super(
      "git-failed",
      `The commit ${base} has a path of ${path.length} bytes, which is longer than this system's can be: ${showName(path.slice(0, shown))}…`,
      { hint: "Remove it from the commit, or shorten it, then post the goal again." },
    );
  }
}

export class CommitMissing extends SettError {
  constructor(base: CommitHash, problem = "") {
    const why = problem === "" ? "" : ` ${problem}`;
    super("git-failed", `Commit ${base} is neither in the workspace nor in the exchange.${why}`, {
      hint: "Was the commit amended, or the goal's ref removed? Post the goal again.",
    });
  }
}
