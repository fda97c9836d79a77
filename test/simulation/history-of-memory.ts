// Turns the record of the blackboard's twin into the history that the rules of the chaos runs
// judge.

import type { ClaimRecord as MemoryClaim, State } from "../../lib/blackboard/memory/state.ts";
import { artefactOfFields } from "../../lib/blackboard/records/artefact-fields.ts";
import { registrationOfText } from "../../lib/blackboard/records/registration-text.ts";
import { wasMoved } from "../../lib/model/claim.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { ArtefactId, ClaimId } from "../../lib/model/ids.ts";
import type { ClaimRecord, History } from "../chaos/history.ts";

/**
 * It shares its records with the state. `planted`: events that were written by hand, as
 * `textOfEvent`, which no rule is about.
 */
export function historyOf(state: State, planted: ReadonlySet<string> = new Set()): History {
  return {
    events: state.events.filter((event) => !planted.has(textOfEvent(event))),
    artefacts: new Map([...state.indexed.keys()].flatMap((id) => artefactsAt(state, id))),
    claims: new Map([...state.claims].map(([id, record]) => [id, claimOf(record)])),
    causes: new Map([...state.causes].map(([id, causes]) => [id, Object.fromEntries(causes)])),
    threads: new Map([...state.threads].map(([id, versions]) => [id, versionsIn(versions)])),
    goals: new Map(state.goals),
    openClaims: [...state.openClaims],
    openQuestions: [...state.openQuestions],
    answers: new Map(state.answers),
    due: [...state.due.keys()],
    wakeUps: new Map(state.wakeUps),
    queued: queuedIn(state),
    agents: new Map(
      [...state.agents].map(([name, text]) => [name, registrationOfText(name, text)]),
    ),
    statuses: new Map(state.statuses),
    isPaused: state.pause !== undefined,
    owed: [...state.owed.keys()],
  };
}

/**
 * Tells events apart: an id comes again where Redis lost the event that had it, and its clock was
 * set back.
 */
export const textOfEvent = (event: SettEvent): string => JSON.stringify(event);

/** An artefact that was written over by hand may not be readable any more. */
function artefactsAt(
  state: State,
  id: ArtefactId,
): (readonly [string, ReturnType<typeof readArtefact>])[] {
  try {
    return [[id, readArtefact(state, id)]];
  } catch (error) {
    if (state.indexed.get(id) !== state.digestOf(id)) return [];
    throw error;
  }
}

function readArtefact(state: State, id: ArtefactId) {
  const artefact = artefactOfFields(state.artefacts.get(id) ?? {}, `artifact:${id}`);
  if (artefact === undefined)
    throw new Error(`The artefact ${id} is in the index and lacks a field.`);
  return artefact;
}

/** The twin has no copies of the grants for readers. */
function claimOf({ claim, cause, grants: byAgent }: MemoryClaim): ClaimRecord {
  const grants = [...byAgent.values()];
  const agentsOf = (phase: string) =>
    grants
      .filter((grant) => grant.phase === phase && !wasMoved(grant))
      .map(({ agent }) => String(agent));
  return {
    ...claim,
    cause,
    grants,
    granted: {
      review: agentsOf("review"),
      parallel: agentsOf("parallel"),
      exclusive: agentsOf("exclusive").join(),
    },
    bidHash: Object.fromEntries(claim.bids.map(({ agent, word }) => [agent, word])),
  };
}

function versionsIn(versions: ReadonlyMap<number, string>): { id: string; version: number }[] {
  return [...versions]
    .map(([version, id]) => ({ id, version }))
    .sort((one, other) => one.version - other.version);
}

/**
 * The twin has no index of them either: a cub finds its queued grants among the claims that are
 * listed as open.
 */
function queuedIn({ openClaims, claims }: State): Map<string, string[]> {
  const queued = new Map<string, ClaimId[]>();
  for (const id of openClaims)
    for (const [agent, { state }] of claims.get(id)?.grants ?? [])
      if (state === "queued") queued.set(agent, [...(queued.get(agent) ?? []), id]);
  return queued;
}
