// Reads the state of a goal, and what explains why it does not advance.

import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { type GoalListing, readGoalFacts } from "../../blackboard/records/read-goal-facts.ts";
import { type GoalStatus, goalStatus, type Waiting } from "../../core/goal-status.ts";
import type { ArtefactHead } from "../../model/artefact.ts";
import type { MalformedClaim } from "../../model/claim.ts";
import { ArtefactId, type ClaimId, type GoalId } from "../../model/ids.ts";
import type { Suggest } from "../text/suggest.ts";
import type { KnownArtefacts } from "./artefacts.ts";
import type { Situation } from "./blocked-reason.ts";
import { findShortOverwritten, isMalformed, readReadable } from "./checked.ts";
import type { GoalCost } from "./costs.ts";

export type GoalReading = {
  goal: GoalId;
  status: GoalStatus;
  /**
   * Oldest first; the goal itself is among them. All, or of `readGoalState` those on which the
   * state depends.
   */
  artefacts: ArtefactHead[];
  /** How many artefacts can be read. */
  count: number;
  /** Artefacts of it of which nothing can be read: a person has changed their records by hand. */
  unreadable: ArtefactId[];
  /** Artefacts of which `shownOf` a line is shown, and that are not what was stored. */
  overwritten?: readonly ArtefactId[] | undefined;
  /** A file of `sett prune` has all of it, and only a part may be here. */
  isArchived?: true;
  /** The name of the trigger that has stated it; undefined where a person has. */
  trigger?: string | undefined;
  /** Who has stated it, as budgets name people; undefined where none is known. */
  person?: string | undefined;
  /** The costs of its calls of language models; undefined where there were none. */
  cost?: GoalCost | undefined;
};

const personPrefix = "person:";

/** This many claims are read whether they have ended or not. */
const fewClaims = 50;

/** A list of goals compares no more of those that a person is asked about. */
const maxSubjects = 20;

export async function readGoal(
  board: PersonBlackboard,
  goal: GoalId,
  known: KnownArtefacts = new Map(),
): Promise<GoalReading> {
  return await readListed(board, goal, known);
}

/** This many artefacts are read whether they are at rest or not. */
const fewArtefacts = 50;

/** Reads it for its state: what is at rest in the goal is counted, and not read. */
export async function readGoalState(board: PersonBlackboard, goal: GoalId): Promise<GoalReading> {
  if ((await board.readGoal(goal)).artefacts <= fewArtefacts) return await readGoal(board, goal);
  const outline = async () => {
    const { named: causes, ...counts } = await board.readOutline(goal);
    return { causes, ...counts };
  };
  return await readListed(board, goal, new Map(), outline);
}

/**
 * Lists use it: a goal that a person has damaged keeps none of the others from being shown, and
 * waits for the person who repairs it.
 */
export async function orUnreadable(
  goal: GoalId,
  read: () => Promise<GoalReading>,
): Promise<GoalReading> {
  try {
    return await read();
  } catch (error) {
    if (!isMalformed(error)) throw error;
    const status = { state: "waiting" as const, openClaims: [], waitingFor: [], failures: [] };
    return { goal, status, artefacts: [], count: 0, unreadable: [ArtefactId.parse(goal)] };
  }
}

async function readListed(
  board: PersonBlackboard,
  goal: GoalId,
  known: KnownArtefacts,
  list?: () => Promise<GoalListing>,
): Promise<GoalReading> {
  const heads = (ids: readonly ArtefactId[]) => readReadable(board, ids, known);
  // The status of an ended claim depends only on whether its Failures count. Open claims are listed
  // after the goal's claims are: one that is open then is not missed, and what one has led to that
  // has just ended is noticed as a change of the goal.
  const needed = async (claims: readonly ClaimId[], ids: readonly ArtefactId[]) => {
    if (list === undefined && claims.length <= fewClaims) return claims;
    const [open, artefacts] = await Promise.all([board.listOpenClaims(), heads(ids)]);
    const failed = artefacts.flatMap(({ structural_type, claim_id }) =>
      structural_type === "Failure" && claim_id !== "" ? [claim_id] : [],
    );
    const meant = new Set<ClaimId>([...open, ...failed]);
    const listed = new Set([...claims, ...(list === undefined ? [] : failed)]);
    return [...listed].filter((id) => meant.has(id));
  };
  const facts = await readGoalFacts(
    board,
    goal,
    heads,
    (stored) => goalStatus(stored).state === "running",
    needed,
    list,
  );
  const { artefacts, trigger, payer, causes, listing } = facts;
  const read = new Set(artefacts.map(({ id }) => id));
  const unreadable = [...causes.keys()].filter((id) => !read.has(id));
  return {
    goal,
    status: goalStatus(facts),
    ...(facts.archived !== undefined && { isArchived: true as const }),
    artefacts,
    count: listing.artefacts - unreadable.length,
    unreadable,
    trigger,
    person: payer?.startsWith(personPrefix) ? payer.slice(personPrefix.length) : undefined,
  };
}

export async function readSituation(board: PersonBlackboard, suggest: Suggest): Promise<Situation> {
  const malformed: MalformedClaim[] = [];
  const [open, agents, statuses, leader, pause, pausedGoals, holds, nowMs, memory, noticeProblems] =
    await Promise.all([
      board.listOpenClaims().then((ids) => board.readClaims(ids, (one) => malformed.push(one))),
      board.listAgents(),
      board.listStatuses(),
      board.readLeader(),
      board.readPause(),
      board.readPausedGoals(),
      board.readHolds(),
      board.time(),
      board.readMemory(),
      board.readNoticeProblems(),
    ]);
  const store = { ...memory, problem: board.contactProblem() };
  return {
    suggest,
    nowMs,
    agents,
    statuses,
    leader,
    pause,
    pausedGoals,
    holds,
    open,
    malformed,
    store,
    noticeProblems,
  };
}

/** The summary of the goal's newest version. */
export function goalSummary(reading: Pick<GoalReading, "goal" | "artefacts">): string {
  return newestVersion(reading)?.metadata.summary ?? "";
}

export function newestVersion({
  goal,
  artefacts,
}: Pick<GoalReading, "goal" | "artefacts">): ArtefactHead | undefined {
  const versions = artefacts.filter(({ logical_id }) => String(logical_id) === String(goal));
  return versions.toSorted((one, other) => other.version - one.version)[0];
}

/** How many Failures of a goal have a line of their own in lists; there may be hundreds. */
export const maxFailures = 3;

/**
 * The artefacts whose words a list of goals shows, the goal's and its last Failures', and those
 * that a person is asked about.
 */
function shownOf(reading: GoalReading): ArtefactId[] {
  const newest = newestVersion(reading);
  const failures = failuresOf(reading).slice(-maxFailures);
  const subjects = reading.status.waitingFor.flatMap((one) => subjectOfWait(one) ?? []);
  const ids = [...(newest === undefined ? [] : [newest]), ...failures].map(({ id }) => id);
  return [...new Set([...ids, ...subjects.slice(0, maxSubjects)])];
}

/** The question, or what is to be approved; undefined where no person is asked. */
export function subjectOfWait(waiting: Waiting): ArtefactId | undefined {
  if (waiting.kind === "answer") return waiting.question;
  return waiting.kind === "approval" ? waiting.artefact : undefined;
}

/** Says of each goal which of the artefacts that are shown of it are not what was stored. */
export async function withOverwritten(
  board: Pick<PersonBlackboard, "findOverwritten">,
  readings: readonly GoalReading[],
): Promise<GoalReading[]> {
  const found = await findShortOverwritten(board, readings.flatMap(shownOf));
  return readings.map((reading) => ({
    ...reading,
    overwritten: shownOf(reading).filter((id) => found.has(id)),
  }));
}

/** The Failures that count, oldest first. */
export function failuresOf({
  status,
  artefacts,
}: Pick<GoalReading, "status" | "artefacts">): ArtefactHead[] {
  return artefacts.filter(({ id }) => status.failures.includes(id));
}

/** Why a goal has no result. `results`: its artefacts without the goal itself. */
export function whyStalled(results: readonly ArtefactHead[]): string {
  if (results.length === 0)
    return "No agent worked on it: no agent bid anything other than `ignore`.";
  return "It has reviews, but no result: does an agent bid `claim` or `exclusive` on it?";
}

/**
 * Advice for a stalled goal. An agent that has `prompts` and no model ignores everything, and its
 * registration does not show that.
 */
export const stalledAdvice =
  "Do the `bids` in sett.yml match the goal? Of an agent with `prompts.claim`, `sett logs AGENT` shows why its model ignored it.";
