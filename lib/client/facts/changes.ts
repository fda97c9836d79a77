// Reads what a result changes, for all who show it: since the commit of its goal, unless they ask
// for less.
import type { HostRepository } from "../../git/repository/host-repository.ts";
import type { Artefact } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import { requireResultCommit } from "./result-commit.ts";
import {
  distinct,
  type EarlierCommit,
  type Since,
  type WorkBoard,
  type WorkOfResult,
  workOf,
} from "./work.ts";

type Repository = Pick<HostRepository, "showChanges">;
type Target = Pick<HostRepository, "isMerged" | "startOfMerge">;

/** `person`: whose last verdict `verdict` means. */
export type ChangesWanted = { since: Since; person: Actor };

/**
 * A unified diff. Throws `artefact-not-found` where there is no such earlier commit, and as
 * `showChanges`.
 */
export async function readChanges(
  board: WorkBoard,
  repository: Repository,
  artefact: Artefact,
  { since, person }: ChangesWanted,
): Promise<string> {
  const work = await workOf(board, artefact, requireResultCommit(artefact), person);
  return await repository.showChanges(
    work,
    "lines",
    since === "goal" ? undefined : requireEarlier(work, since),
  );
}

/**
 * How much is changed, in all or of each file: since the commit of the goal, and then since each
 * earlier commit. `into`: the repository into whose branch it is to be merged. Where that does not
 * have the commit of the goal, or has later ones of the work too, all that a merge brings is first.
 */
export async function summarizeChanges(
  board: WorkBoard,
  repository: Repository,
  artefact: Artefact,
  { person, detail, into }: { person: Actor; detail: "sums" | "files"; into?: Target },
): Promise<string> {
  const known = await workOf(board, artefact, requireResultCommit(artefact), person);
  const work = into === undefined ? known : await sinceBranch(known, into);
  return await repository.showChanges({ ...work, earlier: distinct(work) }, detail);
}

async function sinceBranch(work: WorkOfResult, into: Target): Promise<WorkOfResult> {
  const { goal, goalName, commit, earlier } = work;
  const start = goal === undefined ? undefined : await into.startOfMerge(commit);
  if (goal === undefined || start === undefined) return work;
  // A work that has merged later commits of the branch may have dropped what these have changed.
  if ((await into.isMerged(goal)) && (await into.isMerged(start, goal))) return work;
  const since: EarlierCommit = { since: "start", name: goalName, commit: goal };
  const name = "the last commit that your branch has of it";
  return { ...work, goal: start, goalName: name, earlier: [since, ...earlier] };
}

function requireEarlier({ earlier }: WorkOfResult, since: EarlierCommit["since"]): EarlierCommit {
  const found = earlier.find((one) => one.since === since);
  if (found !== undefined) return found;
  throw new SettError("artefact-not-found", missing[since], {
    hint: "Without `since`, all that it changes is shown.",
  });
}

const missing: Record<EarlierCommit["since"], string> = {
  version: "There is no earlier version of it with a commit.",
  verdict: "You have approved or rejected no earlier version of it.",
  start: "It is based on no other result.",
};
