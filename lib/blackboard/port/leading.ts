// The blackboard as the leader has it. All that it writes is written under its epoch, and nothing
// more once that is over; and what was decided on something read is written on the connection of
// that read alone, because a Redis that crashed meanwhile may have lost what was read.

import type { ClaimCommit } from "./claims.ts";
import type { CommittedWith } from "./grants.ts";
import type { CandidateBlackboard } from "./holders.ts";

/** Thrown when a write is refused because a newer epoch exists: another orchestrator leads now. */
export class Fenced extends Error {
  override readonly name = "Fenced";

  constructor(epoch: number) {
    super(`Epoch ${epoch} is over: another orchestrator has taken the leader lease.`);
  }
}

/** The result of a call where the epoch is not over. */
type Unfenced<Reply> = Reply extends { outcome: "fenced" }
  ? never
  : Reply extends { outcome: infer Outcome }
    ? Omit<Reply, "outcome"> & { outcome: Exclude<Outcome, "fenced"> }
    : Reply;

type ReplyOf<Method extends (...args: never[]) => Promise<unknown>> = Promise<
  Unfenced<Awaited<ReturnType<Method>>>
>;

type Whole = CandidateBlackboard;

/** Their one argument has the epoch among its members. */
type WithOrder = "announceClaim" | "askPeople" | "decideCall" | "recordDelivery";

type UnderEpoch = {
  [Method in WithOrder]: (
    order: Omit<Parameters<Whole[Method]>[0], "epoch">,
  ) => ReplyOf<Whole[Method]>;
} & {
  adoptArtefact(id: Parameters<Whole["adoptArtefact"]>[0]): ReplyOf<Whole["adoptArtefact"]>;
  noteFact(
    fact: Parameters<Whole["noteFact"]>[0],
    goal?: Parameters<Whole["noteFact"]>[2],
  ): ReplyOf<Whole["noteFact"]>;
  moveCursor(cursor: string): ReplyOf<Whole["moveCursor"]>;
  moveNoticeCursor(cursor: string | undefined): ReplyOf<Whole["moveNoticeCursor"]>;
  noteNoticeProblems(
    problems: Parameters<Whole["noteNoticeProblems"]>[1],
  ): ReplyOf<Whole["noteNoticeProblems"]>;
  clearDue(items: Parameters<Whole["clearDue"]>[0]): ReplyOf<Whole["clearDue"]>;
  deferDue(items: Parameters<Whole["deferDue"]>[0], afterMs: number): ReplyOf<Whole["deferDue"]>;
  logAsLeader(draft: Parameters<Whole["logAsLeader"]>[0]): ReplyOf<Whole["logAsLeader"]>;
  oweEvent(...owed: FirstTwo<Whole["oweEvent"]>): ReplyOf<Whole["oweEvent"]>;
  reopenMail(agents?: Parameters<Whole["reopenMail"]>[1]): ReplyOf<Whole["reopenMail"]>;
  removeOldEvents(ids: Parameters<Whole["removeOldEvents"]>[0]): ReplyOf<Whole["removeOldEvents"]>;
  forgetRefused(): ReplyOf<Whole["forgetRefused"]>;
  wakeAgents(): ReplyOf<Whole["wakeAgents"]>;
  postAsLeader(artefact: Parameters<Whole["postAsLeader"]>[0]): ReplyOf<Whole["postAsLeader"]>;
};

type FirstTwo<Method extends (one: never, two: never, ...rest: never[]) => unknown> =
  Parameters<Method> extends [infer One, infer Two, ...unknown[]] ? [One, Two] : never;

type OnConnection = {
  [Method in "openClaim" | "commitClaim" | "endGoal" | "setPaused" | "pauseGoal"]: (
    order: Omit<Parameters<Whole[Method]>[0], "epoch" | "readOn">,
  ) => ReplyOf<Whole[Method]>;
} & {
  [Method in "placeBid" | "allowBidCalls" | "acceptGrant" | "renewLease"]: (
    order: Omit<Parameters<Whole[Method]>[0], "readOn">,
  ) => ReturnType<Whole[Method]>;
} & {
  logAsLeader: UnderEpoch["logAsLeader"];
  settleOwed(ids: readonly string[]): ReplyOf<Whole["settleOwed"]>;
  answerMail(...answer: FirstTwo<Whole["answerMail"]>): ReturnType<Whole["answerMail"]>;
  finishGrant(order: FinishOrder): Promise<FinishReply>;
};

/** A commit as it is on record, but for what the handle adds. */
export type LeaderCommit = Omit<ClaimCommit, "epoch" | "readOn">;
type FinishOrder = Omit<Parameters<Whole["finishGrant"]>[0], "commit" | "readOn"> & {
  commit?: LeaderCommit;
};
type FinishReply =
  | Exclude<Awaited<ReturnType<Whole["finishGrant"]>>, { outcome: "finished" }>
  | Finished;
type Finished = { outcome: "finished"; commit?: Unfenced<CommittedWith> };

/**
 * The methods are those of `CandidateBlackboard`, without the epoch. Where it is over they reject
 * with Fenced. What is written because of what was read needs `asOf`.
 */
export type LeaderBlackboard = Omit<
  Whole,
  keyof UnderEpoch | keyof OnConnection | "acquireLeaderLease" | "releaseLeaderLease"
> &
  UnderEpoch & {
    readonly epoch: number;
    /** As of the present connection: noted before a read, to write what follows from the read. */
    asOf(): BoardAsOf;
  };

/**
 * The board for what is read on one connection. Noted before the read, it writes what follows from
 * the read on that connection, and rejects with LaterConnection once there is another: the caller
 * reads again. Its own reads are those of any connection.
 */
export type BoardAsOf = Omit<LeaderBlackboard, keyof OnConnection> &
  OnConnection & {
    readonly connection: number;
    /** True as long as contact was not lost. */
    isCurrent(): boolean;
  };

/** `epoch`: of the leader lease that this process has acquired. */
export function lead(board: CandidateBlackboard, epoch: number): LeaderBlackboard {
  const unfenced = unfencedIn(epoch);
  let latest: BoardAsOf | undefined;
  const leader: LeaderBlackboard = {
    ...board,
    epoch,
    announceClaim: (order) => unfenced(board.announceClaim({ ...order, epoch })),
    askPeople: (order) => unfenced(board.askPeople({ ...order, epoch })),
    decideCall: (order) => unfenced(board.decideCall({ ...order, epoch })),
    recordDelivery: (order) => unfenced(board.recordDelivery({ ...order, epoch })),
    adoptArtefact: (id) => unfenced(board.adoptArtefact(id, epoch)),
    noteFact: (fact, goal) => unfenced(board.noteFact(fact, epoch, goal)),
    moveCursor: (cursor) => unfenced(board.moveCursor(epoch, cursor)),
    moveNoticeCursor: (cursor) => unfenced(board.moveNoticeCursor(epoch, cursor)),
    noteNoticeProblems: (problems) => unfenced(board.noteNoticeProblems(epoch, problems)),
    clearDue: (items) => unfenced(board.clearDue(items, epoch)),
    deferDue: (items, afterMs) => unfenced(board.deferDue(items, afterMs, epoch)),
    logAsLeader: (draft) => unfenced(board.logAsLeader(draft, epoch)),
    oweEvent: (owed, draft) => unfenced(board.oweEvent(owed, draft, epoch)),
    reopenMail: (agents) => unfenced(board.reopenMail(epoch, agents)),
    removeOldEvents: (ids) => unfenced(board.removeOldEvents(ids, epoch)),
    forgetRefused: () => unfenced(board.forgetRefused(epoch)),
    wakeAgents: () => unfenced(board.wakeAgents(epoch)),
    postAsLeader: (artefact) => unfenced(board.postAsLeader(artefact, epoch)),
    asOf() {
      const connection = board.connectionNumber();
      if (latest?.connection !== connection)
        latest = { ...leader, ...onConnection(board, epoch, connection) };
      return latest;
    },
  };
  return leader;
}

function onConnection(board: CandidateBlackboard, epoch: number, readOn: number) {
  const unfenced = unfencedIn(epoch);
  const bound: OnConnection & Pick<BoardAsOf, "connection" | "isCurrent"> = {
    connection: readOn,
    isCurrent: () => board.connectionNumber() === readOn,
    openClaim: (order) => unfenced(board.openClaim({ ...order, epoch, readOn })),
    commitClaim: (order) => unfenced(board.commitClaim({ ...order, epoch, readOn })),
    endGoal: (order) => unfenced(board.endGoal({ ...order, epoch, readOn })),
    setPaused: (order) => unfenced(board.setPaused({ ...order, epoch, readOn })),
    pauseGoal: (order) => unfenced(board.pauseGoal({ ...order, epoch, readOn })),
    placeBid: (order) => board.placeBid({ ...order, readOn }),
    allowBidCalls: (order) => board.allowBidCalls({ ...order, readOn }),
    acceptGrant: (order) => board.acceptGrant({ ...order, readOn }),
    renewLease: (order) => board.renewLease({ ...order, readOn }),
    logAsLeader: (draft) => unfenced(board.logAsLeader(draft, epoch, readOn)),
    settleOwed: (ids) => unfenced(board.settleOwed(ids, epoch, readOn)),
    answerMail: (mail, text) => board.answerMail(mail, text, readOn),
    async finishGrant({ commit, ...order }) {
      const whole = commit && { commit: { ...commit, epoch, readOn } };
      const reply = await board.finishGrant({ ...order, readOn, ...whole });
      if (reply.outcome !== "finished" || reply.commit === undefined) return reply as FinishReply;
      return { ...reply, commit: await unfenced(Promise.resolve(reply.commit)) };
    },
  };
  return bound;
}

function unfencedIn(epoch: number) {
  return async <Reply extends { outcome: string }>(
    reply: Promise<Reply>,
  ): Promise<Unfenced<Reply>> => {
    const answer = await reply;
    if (answer.outcome === "fenced") throw new Fenced(epoch);
    // The compiler cannot see that the outcome is another one now.
    return answer as Unfenced<Reply>;
  };
}
