// Says of a commit whose pack no reader would take what makes it so large.
import { SettError } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import { sizeText } from "../../model/size-text.ts";
import type { Origin } from "../exchange/port.ts";
import { showName } from "../run/file-name.ts";
import { runGit } from "../run/run-git.ts";

type Large = {
  readonly commit: CommitHash;
  readonly start: CommitHash | undefined;
  readonly bytes: number;
  readonly maxBytes: number;
};

const hint =
  "Have the tool commit less at once, and nothing that can be made again; contents of LFS count as well. Or bring it in several goals, and merge what came of each before the next.";

/** `from`: it has the commit. */
export async function tooLarge(
  from: Origin,
  { commit, start, bytes, maxBytes }: Large,
): Promise<SettError> {
  const [size, limit] = [sizeText(bytes), sizeText(maxBytes)];
  const largest = await largestFile(from, commit, start).catch(() => undefined);
  const shares = [
    size === limit ? `more than ${limit}` : size,
    ...(start === undefined ? [] : ["beyond the commit of its goal"]),
    ...(largest ? [`(\`${showName(largest.path)}\` alone ${sizeText(largest.bytes)})`] : []),
  ];
  const message = `The commit ${commit} brings ${shares.join(" ")}, so nothing was published: a result may bring ${limit}.`;
  return new SettError("git-failed", message, { hint });
}

/** `bytes`: as it is stored. `path`: in latin1. */
async function largestFile(
  { git, gitDir }: Origin,
  commit: CommitHash,
  start: CommitHash | undefined,
): Promise<{ path: string; bytes: number } | undefined> {
  const run = (args: string[], stdin: string) =>
    runGit(git, { args: [`--git-dir=${gitDir}`, ...args], stdin, encoding: "latin1" });
  const revisions = `${commit}\n${start === undefined ? "" : `^${start}\n`}`;
  const listed = await run(["rev-list", "--objects", "--stdin"], revisions);
  const format = "--batch-check=%(objecttype) %(objectsize:disk) %(rest)";
  let largest: { path: string; bytes: number } | undefined;
  for (const line of (await run(["cat-file", format], listed)).split("\n")) {
    const [, size, path = ""] = /^blob (\d+) (.*)$/.exec(line) ?? [];
    const bytes = Number(size);
    if (path !== "" && bytes > (largest?.bytes ?? 0)) largest = { path, bytes };
  }
  return largest;
}
