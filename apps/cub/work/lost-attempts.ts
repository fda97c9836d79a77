// Work that an earlier process of this agent was doing when it was killed or crashed is lost. The
// new process reports it at once, when it is sure of that.
import type { GrantResult } from "../../../lib/blackboard/port/grants.ts";
import { failureArtefact } from "../../../lib/core/result-artefact.ts";
import type { Claim, Grant } from "../../../lib/model/claim.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { ArtefactId } from "../../../lib/model/ids.ts";
import { attemptLostType } from "../../../lib/model/own-types.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import { hasEnded } from "../container/own-process.ts";
import type { Deps, StopSignals } from "../program/deps.ts";
import { deliverResult } from "./deliver-result.ts";

const claimsAtOnce = 100;

/**
 * This is called before any new work. Each report ends its attempt. The blackboard checks it: where
 * the attempt has ended in the meantime, the report is refused. Never rejects: an attempt that is
 * not reported here fails when its lease lapses.
 */
export async function reportLostAttempts(deps: Deps, signals: StopSignals): Promise<void> {
  const { board, log, ownProcess, registration } = deps;
  if (ownProcess === undefined) return;
  try {
    const open = await untilContact(() => board.listClaimsOf(registration.current.name, "work"), {
      signal: signals.stop,
      log,
    });
    for (let from = 0; from < open.length; from += claimsAtOnce) {
      const some = open.slice(from, from + claimsAtOnce);
      for (const { claim, grants } of await untilContact(() => board.readClaims(some), {
        signal: signals.stop,
        log,
      })) {
        const grant = grants.find(({ agent }) => agent === registration.current.name);
        if (
          grant?.state !== "running" ||
          grant.run_by === undefined ||
          !hasEnded(grant.run_by, ownProcess)
        )
          continue;
        log.warn("The attempt of an earlier process is lost", {
          claim_id: claim.id,
          attempt: grant.attempt,
        });
        await deliverResult(deps, { claim, grant }, lostAttempt(deps, claim, grant), signals);
      }
    }
  } catch (error) {
    if (!signals.stop.aborted)
      log.warn("Could not look for lost attempts", { error: messageOf(error) });
  }
}

/**
 * A command can have the kernel end the cub instead of itself, by many small processes that take
 * all memory: each may lower its `oom_score_adj` to that of the cub, for only a privileged program
 * can forbid it (proc_pid_oom_score_adj(5)). The counters of the kernel have gone with the
 * container's earlier run: whether it was that only the Engine knows, and the reason blames
 * nothing.
 */
function lostAttempt(deps: Deps, claim: Claim, { agent, attempt }: Grant): GrantResult {
  const { clock, newId, registration, isInContainer } = deps;
  const lost = `Agent ${agent} was killed or crashed in the middle of its work, and was started again: attempt ${attempt} is lost.`;
  const reason =
    isInContainer === true
      ? `${lost} \`sett doctor\` and \`sett logs ${agent}\` may say why.`
      : lost;
  const making = {
    id: ArtefactId.parse(newId()),
    at: clock.now().toISOString(),
    agent: registration.current,
    claim,
  };
  const payload = JSON.stringify({ reason, agent });
  const failure = { type: attemptLostType, payload, reason, sources: [claim.artefact_id] };
  return {
    outcome: "failed",
    artefact: failureArtefact(making, failure),
    reason,
    failureType: attemptLostType,
  };
}
