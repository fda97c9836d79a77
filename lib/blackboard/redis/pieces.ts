// Says what has become of the pieces of a list.
import type { ArtefactId } from "../../model/ids.ts";
import type { WorkedArtefact } from "../../model/worked-artefact.ts";
import type { ClaimBoard } from "../port/claims.ts";
import type { Deps } from "./deps.ts";

export function readPiecesOf({ call }: Deps): ClaimBoard["readPieces"] {
  return async (list) => {
    const [state, ...words] = await call("readPieces", {}, { list });
    if (state === "unfinished") return { unfinished: words[0] as ArtefactId };
    return state === "ended" ? { ended: artefactsOf(words) } : undefined;
  };
}

/** The words of lua/read-pieces.lua; what functions wrote is trusted. */
function artefactsOf(words: readonly string[]): WorkedArtefact[] {
  const artefacts: WorkedArtefact[] = [];
  for (let at = 0; at < words.length; ) {
    const [id, structural, thread = "", version, agent = "", claim = "", about = "", count] =
      words.slice(at, at + 8);
    at += 8;
    const claims: { cause: string; id: string; status: string; created_at: string }[] = [];
    for (const end = at + 4 * Number(count); at < end; at += 4) {
      const [cause = "", claimId = "", status = "", created_at = ""] = words.slice(at, at + 4);
      claims.push({ cause, id: claimId, status, created_at });
    }
    artefacts.push({
      id: id as ArtefactId,
      structural_type: structural as WorkedArtefact["structural_type"],
      ...{ logical_id: thread, version: Number(version), produced_by_agent: agent },
      ...{ claim_id: claim, about: about === "" ? undefined : (about as ArtefactId) },
      claims: claims.sort(byOpening) as unknown as WorkedArtefact["claims"],
    });
  }
  return artefacts;
}

function byOpening(one: { created_at: string }, other: { created_at: string }): number {
  return one.created_at < other.created_at ? -1 : one.created_at > other.created_at ? 1 : 0;
}
