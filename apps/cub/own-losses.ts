// What an earlier process of this agent had in hand when it was killed, or crashed, is lost: its successor says so at once, where it is sure.
import type { GrantResult } from "../../lib/blackboard/port.ts";
import { failureArtefact } from "../../lib/core/result-artefact.ts";
import { attemptLostType } from "../../lib/core/retry.ts";
import type { Claim, Grant } from "../../lib/model/claim.ts";
import { messageOf } from "../../lib/model/errors.ts";
import { ArtefactId } from "../../lib/model/ids.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import { deliverResult } from "./deliver-result.ts";
import type { Deps, Ending } from "./deps.ts";
import { hasEnded } from "./own-process.ts";

const claimsAtOnce = 100;

/**
 * To be called before anything new is begun. Each loss is the end of its attempt, which the blackboard checks: where somebody else has ended it
 * meanwhile, that counts. Never rejects: what is not said here is found out when the lease lapses.
 */
export async function reportOwnLosses(deps: Deps, ending: Ending): Promise<void> {
  const { board, log, ownProcess, registration } = deps;
  if (ownProcess === undefined) return;
  try {
    const open = await untilContact(() => board.listOpenClaims(), { signal: ending.stop, log });
    for (let from = 0; from < open.length; from += claimsAtOnce) {
      const some = open.slice(from, from + claimsAtOnce);
      for (const { claim, grants } of await untilContact(() => board.readClaims(some), { signal: ending.stop, log })) {
        const grant = grants.find(({ agent }) => agent === registration.current.name);
        if (grant?.state !== "running" || grant.run_by === undefined || !hasEnded(grant.run_by, ownProcess)) continue;
        log.warn("The attempt of an earlier process is lost", { claim_id: claim.id, attempt: grant.attempt });
        await deliverResult(deps, { claim, grant }, lossOf(deps, claim, grant), ending);
      }
    }
  } catch (error) {
    if (!ending.stop.aborted) log.warn("Could not look for lost attempts", { error: messageOf(error) });
  }
}

function lossOf({ clock, newId, registration }: Deps, claim: Claim, { agent, attempt }: Grant): GrantResult {
  const reason = `Agent ${agent} was killed or crashed in the middle of its work, and was started again: attempt ${attempt} is lost.`;
  const making = { id: ArtefactId.parse(newId()), at: clock.now().toISOString(), agent: registration.current, claim };
  const payload = JSON.stringify({ reason, agent });
  const failure = { type: attemptLostType, payload, reason, sources: [claim.artefact_id] };
  return { outcome: "failed", artefact: failureArtefact(making, failure), reason, failureType: attemptLostType };
}
