// Makes up for what no event told: claims left half-way, and artefacts written by hand.

import { sleep } from "../../lib/async/sleep.ts";
import type { GoalEnding } from "../../lib/blackboard/artefact-port.ts";
import type { Blackboard } from "../../lib/blackboard/port.ts";
import type { ClaimEvent } from "../../lib/core/claim-decision.ts";
import { type ClaimSnapshot, questionOf } from "../../lib/model/claim.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId } from "../../lib/model/ids.ts";
import { silentAfterMs } from "../../lib/model/leases.ts";
import type { Decider } from "./decide-and-commit.ts";
import type { Deps } from "./deps.ts";
import type { PublishTracker } from "./publish-tracker.ts";
import type { Questions } from "./questions.ts";
import type { Silence } from "./silence.ts";

/** Within this an event catches up with its publication, or the log is looked at. */
const publishedApartMs = 200;

const unlookable = "Could not look at an artefact written by hand";

/** Few enough that what comes in meanwhile is hardly held up. */
const claimsAtOnce = 100;

/**
 * Every open claim is looked at as it stands, each by itself. Harmless where nothing is to be done. `mayJudge`: contact has lasted long enough
 * for those who have not bid by their deadline, or are not heard of, to have had their chance; what is known of them may have changed since it went by.
 */
export async function reconcileClaims(
  { board, clock, policy }: Pick<Deps, "board" | "clock" | "policy">,
  { decider, questions, silence }: { decider: Decider; questions: Questions; silence: Silence },
  epoch: number,
  mayJudge: boolean,
): Promise<void> {
  const toleratedMs = Math.max(policy.bid_deadline_ms, silentAfterMs);
  const claims = await board.listOpenClaims();
  for (let from = 0; from < claims.length; from += claimsAtOnce) {
    const some = claims.slice(from, from + claimsAtOnce);
    const snapshots = await board.readClaims(some);
    const endings = await readEndings(board, snapshots);
    const silent = await findSilent(board, silence, snapshots, clock.passedMs());
    const events = new Map<ClaimId, ClaimEvent>();
    for (const { claim } of snapshots) {
      const ending = endings.get(claim.goal_id);
      const dueMs = Date.parse(claim.created_at) + policy.bid_deadline_ms;
      const isOverdue = claim.bidding === "open" && clock.now().getTime() >= dueMs;
      if (ending !== undefined) events.set(claim.id, { kind: "goal_ended", reason: whyEnded(ending) });
      else if (mayJudge && isOverdue) events.set(claim.id, { kind: "bid_deadline" });
      const unheard = silent.get(claim.id);
      if (ending === undefined && mayJudge && unheard !== undefined && unheard.forMs >= toleratedMs)
        events.set(claim.id, { kind: "agent_silent", ...unheard });
    }
    await decider.decideEach(some, (claim) => events.get(claim) ?? { kind: "progress" }, epoch);
    await questions.settleQuestions(
      snapshots.flatMap(({ grants }) => grants.map(questionOf)).filter((id) => id !== undefined),
      epoch,
    );
  }
}

/** Of claims that another agent may take over: for how long whoever has not begun its work has been silent. */
async function findSilent(
  board: Blackboard,
  silence: Silence,
  snapshots: readonly ClaimSnapshot[],
  nowMs: number,
): Promise<Map<ClaimId, { agent: AgentName; forMs: number }>> {
  const queued = snapshots.flatMap(({ claim, grants }) =>
    claim.kind === "rework" || claim.kind === "clarification"
      ? grants.filter(({ state }) => state === "queued").map(({ agent }) => [claim.id, agent] as const)
      : [],
  );
  const statuses = queued.length === 0 ? undefined : await board.listStatuses();
  return new Map(queued.map(([id, agent]) => [id, { agent, forMs: silence.look(agent, statuses?.get(agent), nowMs) }]));
}

/** Of goals that were ended while one of their claims could not be read. */
async function readEndings(board: Blackboard, snapshots: readonly ClaimSnapshot[]): Promise<Map<GoalId, GoalEnding>> {
  const goals = [...new Set(snapshots.map(({ claim }) => claim.goal_id))];
  const records = await Promise.all(goals.map((goal) => board.readGoal(goal)));
  return new Map(
    goals.flatMap((goal, index) => {
      const ended = records[index]?.ended;
      return ended === undefined ? [] : [[goal, ended] as const];
    }),
  );
}

/** The reason that a claim of an ended goal is terminated with. */
export function whyEnded(ending: GoalEnding): string {
  return ending === "artefact_limit"
    ? "The goal was ended: it has more artefacts than limits.artefacts_per_goal allows."
    : "The goal was cancelled.";
}

/** The more keys there are, the longer a pass takes and the rarer it comes: it may take one part in so many of the time. */
const restFactor = 50;

/**
 * The slow scan for artefacts written by hand without a publish: adopted once two passes have seen them. What one still lacks in the third
 * will not come by itself, and whoever wrote it wants to know.
 */
export class AdoptionScan {
  /** In how many passes before. */
  #seen = new Map<ArtefactId, number>();
  /** Why each of these was refused, as the service's log has it: what lacks something is looked at again in every pass. */
  #logged = new Map<ArtefactId, string>();
  #notBeforeMs = 0;

  async pass(deps: Deps, epoch: number): Promise<void> {
    const beganMs = deps.clock.passedMs();
    if (beganMs < this.#notBeforeMs) return;
    const found = (await deps.board.findUnindexedArtefacts()).map((id) => [id, this.#seen.get(id) ?? 0] as const);
    for (const [id, times] of found) {
      if (times === 0) continue;
      // One that cannot even be looked at must not stand in the way of the others.
      await adopt(deps, id, epoch, { isOverdue: times > 1, logged: this.#logged }).catch((error: unknown) =>
        deps.log.warn(unlookable, { artefact_id: id, error }),
      );
    }
    this.#seen = new Map(found.map(([id, times]) => [id, times + 1]));
    for (const id of this.#logged.keys()) if (!this.#seen.has(id)) this.#logged.delete(id);
    const endedMs = deps.clock.passedMs();
    this.#notBeforeMs = endedMs + restFactor * (endedMs - beganMs);
  }
}

/** Notes what is published on `artefact_events`, by whomever. Runs until the signal aborts. */
export async function hearPublished({ board, clock }: Deps, heard: PublishTracker, signal: AbortSignal): Promise<void> {
  for await (const ids of board.artefactHints(signal)) {
    const nowMs = clock.passedMs();
    for (const id of ids) heard.published(id, nowMs);
  }
}

/**
 * Looks at artefacts that were published by hand: takes in those that are new, and notices those that were written over. Our own scripts
 * publish too, and their events may still be under way: `hasFollowed` tells whether the log has been followed past an event.
 */
export async function adoptPublished(
  deps: Deps,
  heard: PublishTracker,
  hasFollowed: (event: string) => boolean,
  epoch: number,
  signal: AbortSignal,
): Promise<void> {
  const { board, clock, log } = deps;
  const suspects = heard.unexplained(clock.passedMs() - publishedApartMs);
  if (suspects.length === 0) return;
  const end = await board.endOfEvents();
  while (!signal.aborted && !hasFollowed(end)) await sleep(100, signal);
  if (signal.aborted) return;
  const byHand = suspects.filter((id) => heard.takeUnexplained(id));
  await Promise.all(
    byHand.map((id) =>
      adopt(deps, id as ArtefactId, epoch).catch((error: unknown) => log.warn(unlookable, { artefact_id: id, error })),
    ),
  );
}

type Look = { isOverdue: boolean; logged: Map<ArtefactId, string> };

async function adopt({ board, log }: Deps, id: ArtefactId, epoch: number, look?: Look): Promise<void> {
  const result = await board.adoptArtefact(id, epoch, look && { isOverdue: look.isOverdue });
  if (result.outcome === "adopted") log.info("Adopted an artefact written by hand", { artefact_id: id });
  if (result.outcome !== "refused" || look?.logged.get(id) === result.reason) return;
  look?.logged.set(id, result.reason);
  log.warn("Refused an artefact written by hand", { artefact_id: id, reason: result.reason });
}
