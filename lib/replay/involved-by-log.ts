// Finds in the log which people had a part in the work that is to be approved.
import { involvedIn, maxOrigins, type Origin, posterOf } from "../core/involved.ts";
import type { ArtefactId } from "../model/ids.ts";
import type { Involved } from "../model/quorum.ts";
import type { ClaimSoFar, KnownArtefact } from "./claim-so-far.ts";

/** Undefined where a claim on the way back to the goal is not known, or differs. */
export function involvedByLog(
  target: ArtefactId,
  artefacts: ReadonlyMap<string, KnownArtefact>,
  claims: ReadonlyMap<string, ClaimSoFar>,
): Involved | undefined {
  const origins: Origin[] = [];
  let goal: string | undefined;
  for (let id: ArtefactId | undefined = target; id !== undefined; ) {
    const known = artefacts.get(id);
    if (known === undefined || origins.length === maxOrigins) break;
    const { snapshot } = claims.get(known.claim ?? "") ?? {};
    if (known.claim !== undefined && snapshot === undefined) return undefined;
    goal = known.goal;
    origins.push({
      ...{ id, version: known.version, grants: snapshot?.grants ?? [] },
      postedBy: isPosted(known) ? personOf(known) : undefined,
    });
    id = snapshot?.claim.artefact_id;
  }
  const byOf = (id: string | undefined) => {
    const known = artefacts.get(id ?? "");
    return known && personOf(known);
  };
  return involvedIn(posterOf(artefacts.get(goal ?? "")?.actor ?? ""), origins, byOf);
}

function isPosted({ id, goal, claim, agent }: KnownArtefact): boolean {
  return String(id) !== goal && claim === undefined && agent === "";
}

function personOf({ actor }: KnownArtefact): string | undefined {
  return actor.startsWith("person:") ? actor.slice("person:".length) : undefined;
}
