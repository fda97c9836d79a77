// Makes the order for a look at a grant: all that its command was given, read from the record.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { oldestFirst } from "../../../lib/blackboard/records/context-chain.ts";
import { readSound } from "../../../lib/client/facts/checked.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { baseCommit } from "../../../lib/core/base-commit.ts";
import { resultsOfEarlierPhases } from "../../../lib/core/result-artefact.ts";
import type { AgentRegistration, RegisteredAgent } from "../../../lib/model/agent.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ExaminationOrder } from "../../../lib/model/examination.ts";
import { ArtefactId } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import type { ExaminedGrant } from "./find-grant.ts";

/**
 * Throws `usage` for an agent that is not registered any more, or no container works for, and
 * `artefact-not-found` where an input is not on the blackboard any more.
 */
export async function readExaminationOrder(
  board: PersonBlackboard,
  examined: ExaminedGrant,
  { suggest, version }: { suggest: Suggest; version: string },
): Promise<ExaminationOrder> {
  const { claim, grant, grants, result } = examined;
  const registration = requireInContainer(
    grant.agent,
    (await board.listAgents()).find(({ name }) => name === grant.agent),
  );
  const target = await readSound(board, claim.artefact_id, suggest);
  const context = await board.readArtefacts(grant.context_ids);
  const lost = [claim.artefact_id, ...grant.context_ids].find(
    (id) => id !== target?.id && !context.some((one) => one.id === id),
  );
  if (target === undefined || lost !== undefined)
    throw new SettError(
      "artefact-not-found",
      `${shortId(lost ?? claim.artefact_id)}, which ${grant.agent} was given, is not on the blackboard any more.`,
      {
        hint: "`sett prune` has moved it into a file, or someone has removed it: `sett restore` brings a backup back.",
      },
    );
  const earlier = resultsOfEarlierPhases(grants, grant.phase);
  const beside = [...earlier, ...claim.additional_context_ids, ...(grant.dialogue ?? [])];
  const parts = partsOfContext(target, context, beside);
  const [goal] = await board.readHeads([ArtefactId.parse(claim.goal_id)]);
  const start = goal?.head.metadata.commit;
  const base = grant.base_commit ?? baseCommit(target, context) ?? start;
  const { id, artefact_id, goal_id, kind, additional_context_ids, pieces } = claim;
  const { agent, phase, attempt, queued_at, dialogue } = grant;
  return {
    version,
    registration,
    claim: {
      ...{ id, artefact_id, goal_id, kind, additional_context_ids },
      ...withoutUndefined({ pieces }),
    },
    grant: { agent, phase, attempt, queued_at, ...withoutUndefined({ dialogue }) },
    earlier: earlier.filter((one) => grant.context_ids.includes(one)),
    target,
    context_chain: parts.chain,
    additional_context: parts.additional,
    ...withoutUndefined({ base, start, recorded: result?.metadata.commit }),
  };
}

function requireInContainer(agent: string, found: RegisteredAgent | undefined): AgentRegistration {
  if (found === undefined || found.unreadable !== undefined)
    throw new SettError("usage", `${agent} is not registered any more.`, {
      hint: "Add it to sett.yml again, and run `sett up`.",
    });
  const { unreadable: _, ...registration } = found;
  const other = registration.human
    ? "is a person"
    : registration.external
      ? "is an external agent, which Sett starts nothing for"
      : registration.built_in && "is built into Sett";
  if (other) throw new SettError("usage", `${agent} ${other}: there is no container to look into.`);
  return registration;
}

/**
 * The record has the inputs in one list: the chain, oldest first, then those that are not in it.
 * `beside`: what is an input beside the chain, as it is now; later ones are left out. One of them
 * is not in the chain where the chain has another version of its thread, or it is one of the
 * target's own.
 */
export function partsOfContext(
  target: Pick<Artefact, "logical_id">,
  context: readonly Artefact[],
  beside: readonly ArtefactId[],
): { chain: Artefact[]; additional: Artefact[] } {
  const byId = new Map(context.map((one) => [one.id, one]));
  const additional = [...new Set(beside)].flatMap((id) => byId.get(id) ?? []);
  const isApart = (one: Artefact) =>
    additional.includes(one) &&
    (one.logical_id === target.logical_id ||
      context.some((other) => other.logical_id === one.logical_id && other.version > one.version));
  return { chain: inOrder(context.filter((one) => !isApart(one))), additional };
}

/** Where an agent has taken its grant as it read it, the record has them as they were found. */
function inOrder(chain: readonly Artefact[]): Artefact[] {
  const times = chain.map((one) => Date.parse(one.created_at));
  const isSorted = times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0));
  const depthAt = (place: number) => (isSorted ? chain.length - place : place);
  return oldestFirst(chain.map((artefact, place) => ({ artefact, depth: depthAt(place) })));
}
