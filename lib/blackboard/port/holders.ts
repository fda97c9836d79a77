// The port by who holds it: what each of the programs may ask of the blackboard, so that the
// compiler knows what a line of it may touch. redis/connect.ts gives the whole port; each program
// passes on its own part alone.

import type { Blackboard } from "./blackboard.ts";
import type { GrantBoard } from "./grants.ts";
import type { RunStart } from "./mail.ts";

/** Every program has to know whether Redis is there. */
type Contact =
  | "instance"
  | "time"
  | "contactSince"
  | "contactProblem"
  | "connectionNumber"
  | "onReconnect";

/** Records that change nothing. */
type Reading =
  | "readMemory"
  | "readArtefact"
  | "readWithDigest"
  | "readRecord"
  | "readOutput"
  | "readArtefacts"
  | "readHeads"
  | "findOverwritten"
  | "readThread"
  | "listArtefacts"
  | "countArtefacts"
  | "findArtefacts"
  | "listGoals"
  | "countGoals"
  | "listArtefactsOfGoal"
  | "listCommits"
  | "listLanes"
  | "readGoal"
  | "readClaim"
  | "readClaims"
  | "listOpenClaims"
  | "countOpenClaims"
  | "listOpenClaimsOfGoal"
  | "claimsOfArtefact"
  | "listAgents"
  | "listStatuses"
  | "readWorkerLogs"
  | "listOpenQuestions"
  | "answersOf"
  | "readPause"
  | "readPausedGoals"
  | "readLeader"
  | "readNoticeProblems"
  | "readEvents"
  | "readEventsBefore"
  | "followEvents"
  | "countEvents"
  | "countLostEvents"
  | "endOfEvents"
  | "listOwed";

/**
 * The reads of an agent, and its mail, by which it says all that goes into the record: by-mail.ts
 * makes of them the port of a cub.
 */
export type AgentMailbox = Omit<
  AgentBlackboard,
  | "placeBid"
  | "allowBidCalls"
  | "beginWork"
  | "acceptGrant"
  | "renewLease"
  | "notePreparing"
  | "finishGrant"
> &
  Pick<Blackboard, "sendMail" | "followMailAnswers" | "takeGrant" | "beginWork">;

/**
 * As a cub has it, which by-mail.ts gives the words: `run` is what is known of the run before its
 * context is.
 */
type BeginWork = {
  beginWork(
    order: Pick<Parameters<GrantBoard["beginWork"]>[0], "claim" | "maxBytes" | "readOn"> & {
      run: RunBefore;
      mayTake: boolean;
    },
  ): ReturnType<GrantBoard["beginWork"]>;
};
export type RunBefore = Pick<RunStart, "started_at" | "run_by"> & { run_id: string };

/**
 * An agent: what its cub bids on and works on, and what it says itself. Not the log, and no other
 * agent's records.
 */
export type AgentBlackboard = Pick<
  Blackboard,
  | Contact
  | "hasWritten"
  | "findAgent"
  | "registerAgents"
  | "reportStatus"
  | "listClaimsOf"
  | "readClaim"
  | "readClaims"
  | "readLane"
  | "endOfAnnouncements"
  | "followAnnouncements"
  | "placeBid"
  | "allowBidCalls"
  | "followGrants"
  | "acceptGrant"
  | "renewLease"
  | "notePreparing"
  | "finishGrant"
  | "readArtefact"
  | "readHeads"
  | "readContext"
> &
  BeginWork &
  AsyncDisposable;

/**
 * The orchestrator, before it leads: what it decides it writes under an epoch. leading.ts makes of
 * them what a leader has.
 */
export type CandidateBlackboard = Pick<
  Blackboard,
  | Contact
  | Reading
  | "readSealedPlace"
  | "acquireLeaderLease"
  | "releaseLeaderLease"
  | "moveCursor"
  | "listDue"
  | "clearDue"
  | "deferDue"
  | "countConnections"
  | "endConnections"
  | "endSlowCallers"
  | "openClaim"
  | "readPieces"
  | "commitClaim"
  | "announceClaim"
  | "listClaimsOf"
  | "adoptArtefact"
  | "artefactHints"
  | "postAsLeader"
  | "endGoal"
  | "askPeople"
  | "readAskedCalls"
  | "decideCall"
  | "setPaused"
  | "pauseGoal"
  | "readSpending"
  | "raiseBudget"
  | "raisePeriod"
  | "isHeld"
  | "readHolds"
  | "wakeAgents"
  | "logAsLeader"
  | "oweEvent"
  | "settleOwed"
  | "removeOldEvents"
  | "forgetRefused"
  | "followMail"
  | "answerMail"
  | "readGrant"
  | "roleOfSender"
  | "dropMail"
  | "reopenMail"
  | "placeBid"
  | "allowBidCalls"
  | "acceptGrant"
  | "renewLease"
  | "notePreparing"
  | "finishGrant"
  | "followGrants"
  | "keepWorkerLog"
  | "readContext"
  | "readNoticeCursor"
  | "moveNoticeCursor"
  | "noteNoticeProblems"
  | "readDelivery"
  | "recordDelivery"
  | "noteFact"
> &
  AsyncDisposable;

/** People: goals, answers, verdicts, requests, and the registrations that `sett up` writes. */
export type PersonBlackboard = Pick<
  Blackboard,
  | Contact
  | Reading
  | "createArtefact"
  | "answerQuestion"
  | "tell"
  | "readOutline"
  | "recordVerdict"
  | "logEvent"
  | "readTrigger"
  | "recordTrigger"
  | "forgetMarks"
  | "forgetTriggers"
  | "raiseBudget"
  | "raisePeriod"
  | "readHolds"
  | "readPeriods"
  | "registerAgents"
  | "expectAgents"
  | "keepWorkerLog"
  | "readNoticeCursor"
  | "readGateway"
  | "readSpending"
  | "readCalls"
  | "readToolCharges"
  | "giveBackCalls"
  | "readFacts"
  | "retireGoal"
  | "reinstateGoal"
  | "isRetired"
  | "removeOfGoal"
  | "removeEvents"
  | "recordArchive"
  | "eraseArtefacts"
  | "listArchives"
  | "keepReply"
  | "readReply"
  | "leaveProof"
  | "readCheckpoint"
  | "readSealedPlace"
  | "readAnchored"
> &
  AsyncDisposable;

/** The gateway: who calls, within which limits, and what it has cost. */
export type GatewayBlackboard = Pick<
  Blackboard,
  | "onReconnect"
  | "contactProblem"
  | "announceGateway"
  | "findCaller"
  | "reserveCall"
  | "chargeTool"
  | "askCall"
  | "renewCalls"
  | "endCall"
  | "giveBackCalls"
  | "freeHolds"
  | "logEvent"
> &
  AsyncDisposable;

/** The notary: it reads the log, and says what it has sealed. */
export type NotaryBlackboard = Pick<
  Blackboard,
  | "time"
  | "contactProblem"
  | "readRawEvents"
  | "takeProof"
  | "readFormerProof"
  | "noteCheckpoint"
  | "noteAnchored"
> &
  AsyncDisposable;
