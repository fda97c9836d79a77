// Commits that are on record although no agent has published them: the repository has them for
// other reasons, such as a private branch.
//
// A record of such a commit must give it no name, show it to no reader of the API, and bring it to
// no agent.
import { SettError } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import type { Quarantine, RecordedCommit } from "../exchange/port.ts";
import { runGit } from "../run/run-git.ts";
import type { Outgoing } from "./outgoing.ts";
import type { ChangeDetail, Earlier, Work } from "./show-changes.ts";
import type { Source } from "./source.ts";

/**
 * Commits that goals and earlier results reach are not among them, because agents see those anyway;
 * neither are those that a person has put on record. A commit that the repository itself does not
 * have came from an agent.
 */
export async function unpublishedCommits(
  { git, place: { gitDir }, instance }: Omit<Source, "exchange">,
  recorded: readonly RecordedCommit[],
  quarantine: Pick<Quarantine, "isPublished">,
): Promise<Set<CommitHash>> {
  const named = [
    ...new Set(recorded.flatMap(({ commit, agent }) => (agent === "" ? [] : [commit]))),
  ];
  if (named.length === 0) return new Set();
  const run = (args: string[], stdin: string) =>
    runGit(git, { args: [`--git-dir=${gitDir}`, ...args], stdin });
  const linesOf = (commits: readonly CommitHash[]) =>
    commits.map((commit) => `${commit}\n`).join("");
  const types = (await run(["cat-file", "--batch-check=%(objecttype)"], linesOf(named))).split(
    "\n",
  );
  const here = named.filter((_, at) => types[at] === "commit");
  if (here.length === 0) return new Set();
  const unseen = await run(
    ["rev-list", "--stdin", "--not", `--glob=refs/sett/${instance}/*`],
    linesOf(here),
  );
  const others = new Set(unseen.split("\n"));
  const found = new Set<CommitHash>();
  for (const commit of here)
    if (others.has(commit) && !(await quarantine.isPublished(commit))) found.add(commit);
  return found;
}

/** A sentence about one of them. */
export function unpublishedSentence({ agent }: Pick<RecordedCommit, "agent">): string {
  return `Agent ${agent} has not published it: it is a commit of the repository that no goal or result reaches, or \`git fetch --prune\` has removed its name.`;
}

export interface CommitReader {
  /** As `readOutgoing` of outgoing.ts. */
  outgoing(commit: CommitHash, there: readonly string[]): Promise<Outgoing>;
  showChanges(work: Work, detail?: ChangeDetail, since?: Earlier): Promise<string>;
  writePack(
    commit: CommitHash,
    there: readonly CommitHash[],
    onChunk: (chunk: Uint8Array) => void,
  ): Promise<void>;
}

/**
 * A reader learns nothing of a commit that only the repository has: an agent has named what it was
 * not given.
 */
export function withoutCommits(view: CommitReader, hidden: ReadonlySet<CommitHash>): CommitReader {
  const require = (commit: CommitHash) => {
    if (!hidden.has(commit)) return;
    throw new SettError("git-failed", `No agent has published commit ${commit}.`, {
      hint: "An agent has named a commit that no goal or result reaches. Find out why before you go on.",
    });
  };
  return {
    showChanges: async (work, detail, since) => {
      for (const commit of [work.commit, ...(since === undefined ? [] : [since.commit])])
        require(commit);
      const earlier = work.earlier.filter(({ commit }) => !hidden.has(commit));
      return await view.showChanges({ ...work, earlier }, detail, since);
    },
    outgoing: async (commit, there) => {
      require(commit);
      return await view.outgoing(commit, there);
    },
    writePack: async (commit, ...more) => {
      require(commit);
      await view.writePack(commit, ...more);
    },
  };
}
