// The calls of the blackboard that a command line may make through the API: their arguments, and
// the right that each needs.
import { z } from "zod";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { Right } from "../../model/api-access.ts";
import { Artefact } from "../../model/artefact.ts";
import { Amounts } from "../../model/budget.ts";
import { type DoneGrant, Grant, type WaitingGrant } from "../../model/claim.ts";
import { Actor, EventDraft, EventPosition } from "../../model/event.ts";
import { FactDigest } from "../../model/fact.ts";
import { AgentName, ArtefactId, ClaimId, GoalId, LogicalId } from "../../model/ids.ts";
import { Payer, PeriodId } from "../../model/spending.ts";

/** More is read in pages. */
const maxIds = 1_000;
const maxEvents = 10_000;

const page = z.strictObject({ from: z.int().min(0), count: z.int().min(0).max(maxIds) });
const artefacts = z.array(ArtefactId).max(maxIds);
const lookLimits = z.strictObject({ maxPayloadBytes: z.int().min(0).optional() });
const none = z.tuple([]);
const goal = z.tuple([GoalId]);

const judgedGrant = z.custom<DoneGrant | WaitingGrant>((value) => {
  const { state } = Grant.safeParse(value).data ?? {};
  return state === "done" || state === "waiting";
});

/** The requests of people to the orchestrator. */
const request = EventDraft.extend({
  type: z.enum(["cancel_requested", "retry_requested", "pause_requested", "resume_requested"]),
});

/** A name is a method of the port. */
export const remoteCalls = {
  time: { right: "read", args: none },
  readMemory: { right: "read", args: none },
  readArtefact: { right: "read", args: z.tuple([ArtefactId]) },
  readWithDigest: { right: "read", args: z.tuple([ArtefactId]) },
  readRecord: { right: "read", args: z.tuple([ArtefactId]) },
  readOutput: { right: "read", args: z.tuple([ArtefactId]) },
  readArtefacts: { right: "read", args: z.tuple([artefacts]) },
  readHeads: { right: "read", args: z.tuple([artefacts]) },
  findOverwritten: { right: "read", args: z.tuple([artefacts, lookLimits.optional()]) },
  readThread: { right: "read", args: z.tuple([LogicalId]) },
  listArtefacts: { right: "read", args: z.tuple([page]) },
  countArtefacts: { right: "read", args: none },
  findArtefacts: { right: "read", args: z.tuple([z.string().max(100)]) },
  listGoals: { right: "read", args: z.tuple([page.optional()]) },
  countGoals: { right: "read", args: none },
  listArtefactsOfGoal: { right: "read", args: z.tuple([GoalId, page.optional()]) },
  readOutline: { right: "read", args: goal },
  listCommits: { right: "read", args: none },
  listLanes: { right: "read", args: none },
  readCheckpoint: { right: "read", args: none },
  readSealedPlace: { right: "read", args: none },
  readAnchored: { right: "read", args: none },
  readGoal: { right: "read", args: goal },
  readClaim: { right: "read", args: z.tuple([ClaimId]) },
  readClaims: { right: "read", args: z.tuple([z.array(ClaimId).max(100 * maxIds)]) },
  listOpenClaims: { right: "read", args: z.tuple([page.optional()]) },
  listOpenClaimsOfGoal: { right: "read", args: goal },
  claimsOfArtefact: { right: "read", args: z.tuple([ArtefactId]) },
  listAgents: { right: "read", args: none },
  listStatuses: { right: "read", args: none },
  listOpenQuestions: { right: "read", args: none },
  answersOf: { right: "read", args: z.tuple([artefacts]) },
  readPause: { right: "read", args: none },
  readPausedGoals: { right: "read", args: none },
  readLeader: { right: "read", args: none },
  readNoticeProblems: { right: "read", args: none },
  readGateway: { right: "read", args: none },
  readEvents: { right: "read", args: z.tuple([EventPosition, z.int().min(1).max(maxEvents)]) },
  endOfEvents: { right: "read", args: none },
  readFacts: {
    right: "read",
    args: z.tuple([z.array(FactDigest).max(maxIds), GoalId.optional()]),
  },
  listArchives: { right: "read", args: none },
  readSpending: { right: "read", args: goal },
  readCalls: { right: "read", args: goal },
  readToolCharges: { right: "read", args: goal },
  readHolds: { right: "read", args: none },
  readPeriods: { right: "read", args: z.tuple([z.array(PeriodId).max(100)]) },
  createArtefact: { right: "forage", args: z.tuple([Artefact, Actor]) },
  answerQuestion: { right: "answer", args: z.tuple([Artefact, Actor]) },
  tell: {
    right: "answer",
    args: z.tuple([z.strictObject({ words: Artefact, claim: ClaimId.optional(), actor: Actor })]),
  },
  raiseBudget: {
    right: "budget",
    args: z.tuple([
      z.strictObject({
        goal: GoalId,
        agent: AgentName.optional(),
        add: Amounts,
        actor: Actor,
        cause: z.string().max(200),
      }),
    ]),
  },
  raisePeriod: {
    right: "budget",
    args: z.tuple([
      z.strictObject({
        period: PeriodId,
        whose: Payer,
        add: Amounts,
        actor: Actor,
        cause: z.string().max(200),
      }),
    ]),
  },
  recordVerdict: {
    right: "approve",
    args: z.tuple([
      z.strictObject({
        grant: judgedGrant,
        review: Artefact,
        digest: z.string().max(200),
        actor: Actor,
      }),
    ]),
  },
  logEvent: { right: "control", args: z.tuple([request, Actor]) },
} as const satisfies { [Name in keyof PersonBlackboard]?: { right: Right; args: z.ZodType } };

export type RemoteCallName = keyof typeof remoteCalls;

/**
 * Only `sett up`, `down`, `prune`, `erase` and services make these, where the instance runs.
 */
export const localCalls = [
  "countOpenClaims",
  "readWorkerLogs",
  "keepWorkerLog",
  "readEventsBefore",
  "countEvents",
  "countLostEvents",
  "listOwed",
  "readTrigger",
  "recordTrigger",
  "forgetMarks",
  "forgetTriggers",
  "registerAgents",
  "expectAgents",
  "readNoticeCursor",
  "giveBackCalls",
  "retireGoal",
  "reinstateGoal",
  "isRetired",
  "removeOfGoal",
  "removeEvents",
  "recordArchive",
  "eraseArtefacts",
  "leaveProof",
  "keepReply",
  "readReply",
] as const satisfies (keyof PersonBlackboard)[];

export type LocalCallName = (typeof localCalls)[number];

/**
 * This is in the place of a call's name: several that only read, each with its arguments, are
 * answered as a list.
 */
export const readsTogether = "reads";
export const maxReadsTogether = 100;

/** Their answers may be large: each comes alone. */
const large: readonly RemoteCallName[] = [
  "readArtefact",
  "readWithDigest",
  "readRecord",
  "readArtefacts",
  "readThread",
  "readEvents",
];

export function mayBeTogether(name: RemoteCallName): boolean {
  return remoteCalls[name].right === "read" && !large.includes(name);
}

export function isRemoteCall(name: string): name is RemoteCallName {
  return Object.hasOwn(remoteCalls, name);
}
