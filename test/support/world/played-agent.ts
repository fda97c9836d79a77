// An agent played by a test over the blackboard's port: it bids and delivers as its behaviour says,
// without a cub.

import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { GrantResult } from "../../../lib/blackboard/port/grants.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { BidWord } from "../../../lib/model/bid.ts";
import type { RunningGrant } from "../../../lib/model/claim.ts";
import type { ClaimId } from "../../../lib/model/ids.ts";
import { grantLeaseMs } from "../../../lib/model/leases.ts";
import type { ModelToken } from "../../../lib/model/model-call.ts";
import { digestOf } from "../blackboard/model-scene.ts";
import { agentName, newArtefactId, sampleArtefact } from "../records/sample.ts";

type MadeNow = Partial<Artefact> | undefined;

export type Behaviour = {
  /** Its word on an artefact; undefined: it stays silent. */
  bid: (artefact: Artefact) => BidWord | undefined;
  /**
   * Says what it makes of a grant's attempt; undefined: it accepts and falls silent. A Question
   * makes the grant wait.
   */
  work?: (target: Artefact, attempt: number, token: ModelToken) => MadeNow | Promise<MadeNow>;
  /** Its grants have a token of a model, which its work gets. */
  hasModel?: true;
};

/** Plays until the signal aborts. */
export function playAgent(
  board: Blackboard,
  name: string,
  behaviour: Behaviour,
  signal: AbortSignal,
): Promise<unknown> {
  const agent = agentName(name);
  const bidOn = async (claims: readonly ClaimId[]) => {
    for (const { claim } of await board.readClaims(claims)) {
      const target = await board.readArtefact(claim.artefact_id);
      const word = target && behaviour.bid(target);
      if (word !== undefined) await board.placeBid({ claim: claim.id, agent, word });
    }
  };
  const watch = async () => {
    const from = await board.endOfAnnouncements();
    await bidOn(await board.listOpenClaims());
    for await (const announced of board.followAnnouncements(from, signal))
      await bidOn(announced.map(({ claim }) => claim));
  };
  const work = async () => {
    for await (const claims of board.followGrants(agent, signal))
      for (const claim of claims) await workOn(board, agent, behaviour, claim);
  };
  return Promise.all([watch(), work()]);
}

async function workOn(
  board: Blackboard,
  agent: ReturnType<typeof agentName>,
  behaviour: Behaviour,
  id: ClaimId,
): Promise<void> {
  const snapshot = await board.readClaim(id);
  const grant = snapshot?.grants.find((one) => one.agent === agent);
  const target = snapshot && (await board.readArtefact(snapshot.claim.artefact_id));
  if (snapshot === undefined || target === undefined || grant?.state !== "queued") return;
  const { phase, attempt, queued_at } = grant;
  const startedAt = new Date().toISOString();
  const begun: RunningGrant = {
    agent,
    phase,
    attempt,
    queued_at,
    started_at: startedAt,
    context_ids: [],
    state: "running",
  };
  const token: ModelToken = {
    kind: "grant",
    claim: id,
    agent,
    attempt,
    digest: digestOf(newArtefactId()),
  };
  const running = { ...begun, ...(behaviour.hasModel && { model_token: token.digest }) };
  // However long the test lets it work, its lease does not lapse.
  const leaseMs = behaviour.work === undefined ? grantLeaseMs : 3_600_000;
  const accepted = await board.acceptGrant({ claim: id, grant: running, leaseMs });
  if (accepted.outcome === "refused" || behaviour.work === undefined) return;
  const made = await behaviour.work(target, attempt, token);
  if (made === undefined)
    return void (await board.renewLease({ claim: id, agent, attempt, leaseMs: grantLeaseMs }));
  const artefact = sampleArtefact({
    id: newArtefactId(),
    type: "Result",
    source_artefacts: [target.id],
    produced_by_role: agent,
    produced_by_agent: agent,
    goal_id: target.goal_id,
    claim_id: id,
    ...made,
  });
  const result = resultOf(artefact);
  await board.finishGrant({ claim: id, grant: running, endedAt: new Date().toISOString(), result });
}

function resultOf(artefact: Artefact): GrantResult {
  switch (artefact.structural_type) {
    case "Failure":
      return { outcome: "failed", artefact, reason: artefact.payload };
    case "Question":
      return { outcome: "asked", artefact };
    default:
      return { outcome: "done", artefact };
  }
}
