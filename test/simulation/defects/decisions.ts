// Mistakes of commits, claims and bids.
import { Decider } from "../../../apps/orchestrator/decide/decide-and-commit.ts";
import type { ClaimCommit } from "../../../lib/blackboard/port/claims.ts";
import type { ClaimEvent } from "../../../lib/core/claim-decision.ts";
import type { Grant } from "../../../lib/model/claim.ts";
import type { EventType } from "../../../lib/model/event.ts";
import { newArtefactId } from "../../support/records/sample.ts";
import type { Defect } from "../planting.ts";

/** A commit that is not what was decided. */
const otherwise = (
  name: string,
  change: (commit: ClaimCommit) => Partial<ClaimCommit>,
): Defect => ({
  name,
  plant: (planting) =>
    planting.call("commitClaim", (original, commit) => original({ ...commit, ...change(commit) })),
});

const withoutEvent = (type: EventType): Defect =>
  otherwise(`a commit has no event ${type}`, ({ events }) => ({
    events: events.filter((event) => event.type !== type),
  }));

const queuedOnes = (
  grants: readonly Grant[],
  change: (grant: Extract<Grant, { state: "queued" }>) => Grant,
): Grant[] => grants.map((grant) => (grant.state === "queued" ? change(grant) : grant));

const ignoring = (kind: ClaimEvent["kind"]): Defect => ({
  name: `nothing is decided for ${kind}`,
  plant: (planting) =>
    planting.method(Decider.prototype, "decide", async (original, _decider, claim, event, basis) =>
      event.kind === kind ? false : original(claim, event, basis),
    ),
});

export const decisionDefects: readonly Defect[] = [
  {
    name: "a commit does not look at the rev",
    plant: (planting) =>
      planting.lua(
        "local rev = digits(args.expected_rev + 1)",
        "args.expected_rev = tonumber(claim.rev)\n  local rev = digits(args.expected_rev + 1)",
      ),
  },
  withoutEvent("bidding_closed"),
  withoutEvent("grant_queued"),
  withoutEvent("claim_completed"),
  withoutEvent("question_closed"),
  otherwise("a retry is logged and not written", ({ grants }) => ({
    grants: grants.filter(({ state, attempt }) => state !== "queued" || attempt === 1),
  })),
  otherwise("attempts are counted twice", ({ grants }) => ({
    grants: queuedOnes(grants, (grant) =>
      grant.attempt === 1 ? grant : { ...grant, attempt: grant.attempt + 1 },
    ),
  })),
  otherwise("retries are not counted", ({ grants }) => ({
    grants: queuedOnes(grants, ({ retries: _, ...grant }) => grant),
  })),
  otherwise("an attempt that goes on has forgotten the dialogue", ({ grants }) => ({
    grants: queuedOnes(grants, ({ dialogue: _, ...grant }) => grant),
  })),
  otherwise("a Failure is posted twice", ({ artefacts }) => ({
    artefacts: artefacts.flatMap((artefact) => {
      const id = newArtefactId();
      return [
        artefact,
        { ...artefact, id, logical_id: id as unknown as typeof artefact.logical_id },
      ];
    }),
  })),
  otherwise("an attempt to come is not set due", ({ due }) => ({
    due: { ...due, set: due.set.filter(({ item }) => item.kind !== "attempt") },
  })),
  otherwise("a rework is not opened", () => ({ claims: [] })),
  {
    name: "the order of reviews is logged and not kept",
    plant: (planting) => {
      planting.call("openClaim", (original, order) => {
        const { reviews_after: _, ...claim } = order.open.claim;
        return original({ ...order, open: { ...order.open, claim } });
      });
      planting.call("commitClaim", (original, commit) => {
        const { reviews_after: _, ...set } = commit.set;
        return original({ ...commit, set });
      });
    },
  },
  ignoring("goal_ended"),
  ignoring("answered"),
  {
    name: "one cause opens two claims",
    plant: (planting) => planting.lua("local known = claim_of_cause(claim)", "local known = nil"),
  },
  {
    name: "a claim is opened for a goal that has ended",
    needs: "cancel",
    isRare: true,
    plant: (planting) =>
      planting.lua(
        "if is_goal_ended(claim.goal_id) then return refused('Goal ' .. claim.goal_id .. ' was ended.') end\n  write_claim",
        "write_claim",
      ),
  },
  {
    name: "an ended claim stays among the open ones",
    plant: (planting) =>
      planting.lua("if has_ended then redis.call('ZREM', keys.open_claims, id) end", ""),
  },
  {
    name: "a bid that comes twice counts twice",
    plant: (planting) =>
      planting.lua(
        "if recorded and (recorded == word or is_open) then return { 'placed', recorded } end",
        "if recorded and not is_open then return { 'placed', recorded } end",
      ),
  },
  {
    name: "bids of agents that were not asked are taken",
    needs: "up without an agent",
    isRare: true,
    plant: (planting) =>
      planting.lua(
        "if not is_elector(claim.electorate, agent) then\n    return refused",
        "if false then\n    return refused",
      ),
  },
  {
    name: "missing bids are counted wrong",
    plant: (planting) =>
      planting.lua(
        "object('word', word, 'missing', missing, 'reason'",
        "object('word', word, 'missing', missing + 1, 'reason'",
      ),
  },
  {
    name: "announcements are lost for ever",
    plant: (planting) =>
      planting.lua(
        "add_and_ring(prefix .. 'claims', '10000', 'claim', claim, 'about', text .. '}')",
        "",
      ),
  },
];
