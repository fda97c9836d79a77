// Finds what a person's own version of an artefact replaces: the work on the versions before it.
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import type { ArtefactId, ClaimId } from "../../../lib/model/ids.ts";

type Board = Pick<LeaderBlackboard, "readHeads" | "readThread" | "claimsOfArtefact">;

/** The artefact's version, and all claims on those before it, also the claims that have ended. */
export async function claimsBefore(
  board: Board,
  id: ArtefactId,
): Promise<{ version: number; claims: ClaimId[] }> {
  const { version, thread } = await threadOf(board, id);
  const causes = await Promise.all(
    thread.slice(0, thread.indexOf(id)).map((each) => board.claimsOfArtefact(each)),
  );
  return { version, claims: causes.flatMap((each) => [...each.values()]) };
}

/** The newest version after this one, where a person has posted it. */
export async function postedAfter(board: Board, id: ArtefactId): Promise<ArtefactHead | undefined> {
  const { thread } = await threadOf(board, id);
  const later = await board.readHeads(thread.slice(thread.indexOf(id) + 1));
  return later.map(({ head }) => head).findLast(({ claim_id }) => claim_id === "");
}

/** Why work on the versions before this one ends. */
export function replacedSentence({ version }: Pick<ArtefactHead, "version">): string {
  return `Version ${version} was posted in its place.`;
}

/** Empty where the artefact is gone. */
async function threadOf(
  board: Board,
  id: ArtefactId,
): Promise<{ version: number; thread: ArtefactId[] }> {
  const [found] = await board.readHeads([id]);
  if (found === undefined) return { version: 0, thread: [] };
  const { version, logical_id } = found.head;
  return { version, thread: await board.readThread(logical_id) };
}
