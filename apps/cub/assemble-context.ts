// Fetches the context chain, level by level: three round trips for each at most, whatever its width.
import type { ArtefactBoard } from "../../lib/blackboard/port.ts";
import { growContextChain, sortedContext, startContextChain } from "../../lib/core/context-chain.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";

type Reader = Pick<ArtefactBoard, "readArtefacts" | "latestVersions">;

/** Oldest first. Nothing is read for a target without sources and additional ids. */
export async function assembleContext(
  board: Reader,
  target: Artefact,
  additionalIds: readonly ArtefactId[],
): Promise<Artefact[]> {
  let chain = startContextChain(target, additionalIds);
  while (chain.wanted.length > 0) chain = growContextChain(chain, await fetchLevel(board, chain.wanted));
  return sortedContext(chain);
}

async function fetchLevel(board: Reader, wanted: readonly ArtefactId[]): Promise<{ cited: Artefact; latest: Artefact }[]> {
  const cited = await board.readArtefacts(wanted);
  const latestIds = await board.latestVersions(cited.map((artefact) => artefact.logical_id));
  const known = new Map(cited.map((artefact) => [artefact.id, artefact]));
  const newer = [...new Set(latestIds)].filter((id): id is ArtefactId => id !== undefined && !known.has(id));
  if (newer.length > 0) for (const artefact of await board.readArtefacts(newer)) known.set(artefact.id, artefact);
  return cited.map((artefact, index) => {
    const latestId = latestIds[index];
    return { cited: artefact, latest: (latestId === undefined ? undefined : known.get(latestId)) ?? artefact };
  });
}
