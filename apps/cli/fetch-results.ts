// Brings the commits that artefacts have delivered into the user's repository, as far as they can be had, and says what is amiss.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import type { ImportedCommits } from "../../lib/git/import-commits.ts";
import { messageOf } from "../../lib/model/errors.ts";
import { connect, type Place } from "./open-blackboard.ts";
import type { Shell } from "./shell.ts";

/** Of a kind; the others are counted. */
const mostTold = 10;

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

/** Never throws: what cannot be fetched now is said, and fetched next time. */
export async function fetchResults(shell: Shell, workspace: string | undefined, read: () => Promise<Results>): Promise<void> {
  if (workspace === undefined || workspace === "") return;
  try {
    const { instance, commits } = await read();
    if (commits.length === 0) return;
    const { HostRepository } = await import("../../lib/git/host-repository.ts");
    const repository = await HostRepository.open(workspace, { env: shell.env });
    tell(await repository.fetchCommits(instance, commits), shell);
  } catch (error) {
    shell.messages.warn(`The commits of agents cannot be fetched into ${workspace}: ${messageOf(error)}`);
  }
}

function tell({ broken, altered }: ImportedCommits, { messages }: Shell): void {
  for (const { ref, commit, reason } of broken.slice(0, mostTold)) {
    messages.warn(`The commit ${short(commit)} on record is not fetched as ${ref}: ${reason}`);
  }
  if (broken.length > mostTold) messages.warn(`So are ${broken.length - mostTold} others not fetched.`);
  for (const { ref, commit, reason } of altered.slice(0, mostTold)) {
    messages.warn(
      `${ref} is the commit ${short(commit)}, as is on record, but some agent has tampered with the exchange: ${reason}`,
    );
  }
  if (altered.length > mostTold) messages.warn(`The same is true of ${altered.length - mostTold} others.`);
}

function short(commit: string): string {
  return commit.slice(0, 12);
}
