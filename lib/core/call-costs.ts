// Adds up what calls of language models have cost, by agent, by model and by artefact.
import { noAmounts, plus } from "../model/amounts.ts";
import type { Amounts } from "../model/budget.ts";
import type { ArtefactId } from "../model/ids.ts";
import type { CallRecord } from "../model/model-call.ts";

/**
 * `unpriced_calls`: how many of the calls have a price that is not known; they count as no money.
 * `estimated_nanousd`: how much of the money is reckoned, where some is: the provider has not said
 * what it used.
 */
export type Cost = Amounts & { unpriced_calls: number; estimated_nanousd?: number };

/** A call is counted by these. */
export type CostedCall = Pick<
  CallRecord,
  "claim_id" | "agent" | "model" | "started_at" | "cost" | "is_unpriced"
> &
  Estimated;

type Estimated = Partial<Pick<CallRecord, "is_estimated">>;

/** An artefact is known as a result of calls by these. */
type Made = { id: ArtefactId; claim_id: string; produced_by_agent: string; created_at: string };

export const noCost: Cost = { ...noAmounts, unpriced_calls: 0 };

export function costOf(
  calls: readonly (Pick<CostedCall, "cost" | "is_unpriced"> & Estimated)[],
): Cost {
  const sum = calls.reduce<Cost>(
    (before, { cost, is_unpriced }) => ({
      ...plus(before, cost),
      unpriced_calls: before.unpriced_calls + (is_unpriced ? cost.calls : 0),
    }),
    noCost,
  );
  const estimated = calls.reduce(
    (nanousd, { cost, is_estimated }) => nanousd + (is_estimated === true ? cost.nanousd : 0),
    0,
  );
  return estimated === 0 ? sum : { ...sum, estimated_nanousd: estimated };
}

/** The keys are in alphabetical order. */
export function costsBy<Key extends string, Call extends CostedCall>(
  calls: readonly Call[],
  keyOf: (call: Call) => Key,
): Map<Key, Cost> {
  const groups = Map.groupBy(calls, keyOf);
  return new Map(
    [...groups]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, group]) => [key, costOf(group)]),
  );
}

/**
 * The calls that led to each artefact: those of the same agent on the same claim that began before
 * it was made, and after its earlier results. The calls about a bid belong to the first result.
 */
export function callsByArtefact<Call extends CostedCall>(
  artefacts: readonly Made[],
  calls: readonly Call[],
): Map<ArtefactId, Call[]> {
  const results = Map.groupBy(
    artefacts.filter(
      ({ claim_id, produced_by_agent }) => claim_id !== "" && produced_by_agent !== "",
    ),
    ({ claim_id, produced_by_agent }) => `${claim_id} ${produced_by_agent}`,
  );
  const found = new Map<ArtefactId, Call[]>();
  for (const call of calls) {
    const ofGrant = (results.get(`${call.claim_id} ${call.agent}`) ?? []).toSorted((one, other) =>
      one.created_at < other.created_at ? -1 : 1,
    );
    const result = ofGrant.find(({ created_at }) => created_at >= call.started_at);
    if (result !== undefined) found.set(result.id, [...(found.get(result.id) ?? []), call]);
  }
  return found;
}
