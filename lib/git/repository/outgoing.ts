// What a push of a commit would bring to a server: the commits that it does not have, with all that
// is in them, and the pack.
import { Buffer } from "node:buffer";
import { SettError } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import { sizeText } from "../../model/size-text.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { type Git, runGit } from "../run/run-git.ts";

export type OutgoingCommit = { hash: string; text: string };

/** `paths`: what the commits change, each once. `isIncluded` tells of a commit that is there. */
export type Outgoing = {
  commits: OutgoingCommit[];
  paths: string[];
  /** Whether `ancestor`, a commit of the server, is one of this history. */
  follows(ancestor: string): Promise<boolean>;
  /** The objects as git stores them, one after the other, in pieces. */
  read(onPiece: (piece: Uint8Array) => void): Promise<void>;
  pack(): Promise<Uint8Array>;
};

const maxCommits = 2_000;
const maxPackBytes = 256 * 1024 * 1024;

/**
 * `there`: commits that the server has, of which some may not be here. Throws `git-failed`, and
 * `usage` for more than a push may have.
 */
export async function readOutgoing(
  { git, place }: { git: Git; place: RepositoryPlace },
  commit: CommitHash,
  there: readonly string[],
): Promise<Outgoing> {
  const run = (args: string[], more: Partial<Parameters<typeof runGit>[1]> = {}) =>
    runGit(git, { args: [`--git-dir=${place.gitDir}`, ...args], cwd: place.commonDir, ...more });
  const wanted = there.filter((hash) => /^[0-9a-f]{40,64}$/.test(hash));
  const types = await run(["cat-file", "--batch-check=%(objecttype)"], {
    stdin: wanted.map((hash) => `${hash}\n`).join(""),
  });
  const kinds = types.split("\n");
  const known = wanted.filter((_, at) => kinds[at] === "commit");
  const range = [commit, ...known.map((hash) => `^${hash}`)].map((line) => `${line}\n`).join("");
  const hashes = linesOf(
    await run(["rev-list", `--max-count=${maxCommits + 1}`, "--stdin"], { stdin: range }),
  );
  if (hashes.length > maxCommits) throw tooMuch(`more than ${maxCommits} commits`);
  const changed = await run(
    ["log", "-c", "--no-renames", "--name-only", "-z", "--format=", "--stdin"],
    { stdin: range },
  );
  const commits: OutgoingCommit[] = [];
  for (const hash of hashes) commits.push({ hash, text: await run(["cat-file", "commit", hash]) });
  return {
    commits,
    paths: [...new Set(changed.split(/[\0\n]/).filter((path) => path !== ""))],
    follows: async (ancestor) =>
      known.includes(ancestor) &&
      (await run(["merge-base", "--is-ancestor", ancestor, commit]).then(
        () => true,
        () => false,
      )),
    async read(onPiece) {
      const objects = await run(["rev-list", "--objects", "--no-object-names", "--stdin"], {
        stdin: range,
      });
      await run(["cat-file", "--batch", "--buffer"], { stdin: objects, onStdout: onPiece });
    },
    async pack() {
      const pieces: Uint8Array[] = [];
      let bytes = 0;
      await run(["pack-objects", "--revs", "--delta-base-offset", "--stdout", "--quiet"], {
        stdin: range,
        onStdout: (piece) => {
          bytes += piece.length;
          if (bytes <= maxPackBytes) pieces.push(piece);
        },
      });
      if (bytes > maxPackBytes) throw tooMuch(`more than ${sizeText(maxPackBytes)}`);
      return Buffer.concat(pieces);
    },
  };
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

function tooMuch(what: string): SettError {
  return new SettError("usage", `A push to the forge would have ${what}.`, {
    hint: "Push the branch on which the work began, so that the forge has most of it.",
  });
}
