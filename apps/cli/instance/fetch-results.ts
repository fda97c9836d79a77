// Fetches the commits of artefacts into the user's repository, and reports those that cannot be
// fetched.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { fetchRemoteCommits } from "../../../lib/client/remote/fetch-commits.ts";
import { apiOf } from "../../../lib/client/remote/instance.ts";
import type { ImportedCommits } from "../../../lib/git/repository/import-commits.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import type { Shell } from "../terminal/shell.ts";
import { keepCheckpoint } from "./keep-checkpoint.ts";
import { gitOf } from "./packs-place.ts";
import { type Connectable, connect } from "./session.ts";

/** How many problems of one kind are listed; the others are counted. */
const maxListed = 10;

/** The commits that the blackboard has on record. */
export type Results = Pick<PersonBlackboard, "instance"> & {
  commits: Awaited<ReturnType<PersonBlackboard["listCommits"]>>;
  /** The lanes, with their tips. */
  lanes: Awaited<ReturnType<PersonBlackboard["listLanes"]>>;
  /** The newest one of the sealed log. */
  checkpoint: string | undefined;
};

export async function readResults(board: PersonBlackboard): Promise<Results> {
  const [commits, lanes, checkpoint] = await Promise.all([
    board.listCommits(),
    board.listLanes(),
    board.readCheckpoint(),
  ]);
  return { instance: board.instance, commits, lanes, checkpoint };
}

/** The same with a connection of its own. */
export async function readResultsAt(place: Connectable): Promise<Results> {
  await using board = await connect(place);
  return await readResults(board);
}

/**
 * How to report commits that cannot be fetched. They stay on record, so each run reports them
 * again: all of them, only their number, or the one of an artefact.
 */
export type Reporting = "all" | "count" | { of: ArtefactId };

/**
 * `isWhole`: the repository has all commits on record. `broken`: those that could not be fetched,
 * if it was tried.
 */
export type FetchedResults = { isWhole: boolean; broken: ImportedCommits["broken"] };

/** Never throws: it reports what it cannot fetch, and the next run tries again. */
export async function fetchResults(
  shell: Shell,
  workspace: string | undefined,
  read: () => Promise<Results>,
  reporting: Reporting = "all",
): Promise<FetchedResults> {
  const nothing = { isWhole: true, broken: [] };
  if (workspace === undefined || workspace === "") return nothing;
  try {
    const { instance, commits, lanes, checkpoint } = await read();
    if (commits.length === 0 && checkpoint === undefined) return nothing;
    const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
    const repository = await HostRepository.open(workspace, gitOf(shell));
    const api = apiOf(shell.env);
    const imported =
      api === undefined
        ? await repository.fetchCommits(instance, commits)
        : await fetchRemoteCommits(api, repository, { instance, commits });
    report(imported, reporting, shell);
    await repository.moveLanes(instance, lanes);
    if (checkpoint !== undefined) await keepCheckpoint(repository, { instance, checkpoint }, shell);
    return {
      isWhole: imported.broken.every(({ isUnpublished }) => isUnpublished),
      broken: imported.broken,
    };
  } catch (error) {
    shell.messages.warn(
      `The commits of agents cannot be fetched into ${workspace}: ${messageOf(error)}`,
    );
    return { isWhole: false, broken: [] };
  }
}

function report({ broken }: ImportedCommits, reporting: Reporting, { messages }: Shell): void {
  const [first] = broken;
  if (reporting === "count" && first !== undefined) {
    const what =
      broken.length === 1 ? "A commit on record is" : `${broken.length} commits on record are`;
    messages.warn(`${what} not fetched. Why: sett unearth ${shortId(artefactOf(first.ref))}`);
  }
  const listed =
    reporting === "all"
      ? broken
      : reporting === "count"
        ? []
        : broken.filter((one) => artefactOf(one.ref) === reporting.of);
  for (const { ref, commit, reason } of listed.slice(0, maxListed)) {
    messages.warn(`The commit ${short(commit)} on record is not fetched as ${ref}: ${reason}`);
  }
  if (listed.length > maxListed)
    messages.warn(`${listed.length - maxListed} other commits are not fetched either.`);
}

/** The ref of a result ends with its artefact's id. */
export function artefactOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function short(commit: string): string {
  return commit.slice(0, 12);
}
