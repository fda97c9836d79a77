// Brings the commits that artefacts have delivered into the user's repository, as far as they can be had, and says what is amiss.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { ImportedCommits } from "../../../lib/git/import-commits.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import type { Shell } from "../terminal/shell.ts";
import { shortId } from "../text/short-id.ts";
import type { Place } from "./place.ts";
import { connect } from "./session.ts";

/** Of a kind; the others are counted. */
const maxTold = 10;

/** What is on record, read while there is a blackboard. */
export type Results = Pick<Blackboard, "instance"> & { commits: Awaited<ReturnType<Blackboard["listCommits"]>> };

export async function readResults(board: Blackboard): Promise<Results> {
  return { instance: board.instance, commits: await board.listCommits() };
}

/** The same, by a connection of its own. */
export async function readResultsAt(place: Pick<Place, "instance" | "redisUrl">): Promise<Results> {
  await using board = await connect(place);
  return await readResults(board);
}

/**
 * What is said of those that are not to be had, each time anew, for they stay on record: all of it, only how many there are, or why that of one
 * artefact is among them.
 */
export type Telling = "all" | "count" | { of: ArtefactId };

/**
 * Whether all that is on record is there now. Never throws: what cannot be fetched is said, and fetched next time.
 */
export async function fetchResults(
  shell: Shell,
  workspace: string | undefined,
  read: () => Promise<Results>,
  telling: Telling = "all",
): Promise<boolean> {
  if (workspace === undefined || workspace === "") return true;
  try {
    const { instance, commits } = await read();
    if (commits.length === 0) return true;
    const { HostRepository } = await import("../../../lib/git/host-repository.ts");
    const repository = await HostRepository.open(workspace, { env: shell.env });
    const imported = await repository.fetchCommits(instance, commits);
    tell(imported, telling, shell);
    return imported.broken.length === 0;
  } catch (error) {
    shell.messages.warn(`The commits of agents cannot be fetched into ${workspace}: ${messageOf(error)}`);
    return false;
  }
}

function tell({ broken, altered }: ImportedCommits, telling: Telling, { messages }: Shell): void {
  const [first] = broken;
  if (telling === "count" && first !== undefined) {
    const what = broken.length === 1 ? "A commit on record is" : `${broken.length} commits on record are`;
    messages.warn(`${what} not fetched. Why: sett unearth ${shortId(artefactOf(first))}`);
  }
  const told = telling === "all" ? broken : telling === "count" ? [] : broken.filter((one) => artefactOf(one) === telling.of);
  for (const { ref, commit, reason } of told.slice(0, maxTold)) {
    messages.warn(`The commit ${short(commit)} on record is not fetched as ${ref}: ${reason}`);
  }
  if (told.length > maxTold) messages.warn(`So are ${told.length - maxTold} others not fetched.`);
  for (const { ref, commit, reason } of altered.slice(0, maxTold)) {
    messages.warn(
      `${ref} is the commit ${short(commit)}, as is on record, but some agent has tampered with the exchange: ${reason}`,
    );
  }
  if (altered.length > maxTold) messages.warn(`The same is true of ${altered.length - maxTold} others.`);
}

/** A result's name ends with its artefact's. */
function artefactOf({ ref }: { ref: string }): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function short(commit: string): string {
  return commit.slice(0, 12);
}
