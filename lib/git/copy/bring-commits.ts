// Brings what a working copy needs, and the workspace does not have, out of the exchange.
import { join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import type { RecordedCommit } from "../exchange/exchange.ts";
import { takeCommit } from "../exchange/take-commit.ts";
import { FolderOfAgents } from "../exchange/untrusted-folder.ts";
import type { Git, GitRun } from "../run/run-git.ts";
import { CommitMissing } from "./unusable-commit.ts";

export interface Places {
  readonly git: Git;
  readonly gitDir: string;
  readonly exchangeDir: string;
  /** Runs git in the repository of `gitDir`. */
  readonly run: (run: GitRun) => Promise<string>;
}

/** Only `base` must be there: what else is missing the tool will see. Throws CommitMissing. */
export async function bringCommits(
  places: Places,
  base: CommitHash,
  given: readonly RecordedCommit[],
): Promise<void> {
  const { git, gitDir, exchangeDir, run } = places;
  const all = given.some(({ commit }) => commit === base)
    ? given
    : [{ commit: base, agent: "" as const }, ...given];
  let missing = await missingOf(run, all);
  if (missing.length === 0) return;
  const taking = { git, gitDir, objectsDir: join(gitDir, "objects") };
  const [problems, tried] = [new Map<CommitHash, string>(), new Set<RecordedCommit>()];
  const untried = () => missing.find((each) => !tried.has(each));
  using exchange = FolderOfAgents.open(exchangeDir);
  for (let next = untried(); next !== undefined && exchange !== undefined; next = untried()) {
    tried.add(next);
    problems.set(next.commit, (await takeCommit(taking, exchange, next)) ?? "");
    // A later commit has often brought the ones before it.
    missing = await missingOf(run, missing);
  }
  if (missing.some(({ commit }) => commit === base))
    throw new CommitMissing(base, problems.get(base));
}

async function missingOf(
  run: Places["run"],
  commits: readonly RecordedCommit[],
): Promise<RecordedCommit[]> {
  const stdin = commits.map(({ commit }) => `${commit}^{commit}\n`).join("");
  const lines = (await run({ args: ["cat-file", "--batch-check=%(objecttype)"], stdin })).split(
    "\n",
  );
  return commits.filter((_, index) => lines[index] !== "commit");
}
