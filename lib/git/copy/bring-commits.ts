// Brings what a working copy needs, and what its agent does not see yet, from other agents.
import { join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import type { AgentExchange, RecordedCommit } from "../exchange/port.ts";
import type { Git, GitRun } from "../run/run-git.ts";
import { CommitMissing } from "./unusable-commit.ts";

export interface Places {
  readonly git: Git;
  readonly gitDir: string;
  readonly exchange: Pick<AgentExchange, "take">;
  /** Runs git in the repository of `gitDir`. */
  readonly run: (run: GitRun) => Promise<string>;
}

/** Only `base` must be there: what else is missing the tool will see. Throws CommitMissing. */
export async function bringCommits(
  places: Places,
  base: CommitHash,
  given: readonly RecordedCommit[],
): Promise<void> {
  const { git, gitDir, exchange, run } = places;
  const all = given.some(({ commit }) => commit === base)
    ? given
    : [{ commit: base, agent: "" as const }, ...given];
  let missing = await missingOf(run, all);
  if (missing.length === 0) return;
  const into = { git, gitDir, objectsDir: join(gitDir, "objects") };
  const [problems, tried] = [new Map<CommitHash, string>(), new Set<RecordedCommit>()];
  const untried = () => missing.find((each) => !tried.has(each));
  for (let next = untried(); next !== undefined; next = untried()) {
    tried.add(next);
    problems.set(next.commit, (await exchange.take(into, next)) ?? "");
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
