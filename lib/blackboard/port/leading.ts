// The blackboard as the leader has it: what it writes, it writes under its epoch, and nothing more
// once that is over.

import type { ClaimCommit } from "./blackboard.ts";
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

/** Their one argument has the epoch among its members. */
type WithOrder =
  | "openClaim"
  | "commitClaim"
  | "announceClaim"
  | "endGoal"
  | "askPeople"
  | "setPaused"
  | "recordDelivery";

type Whole = CandidateBlackboard;

type UnderEpoch = {
  [Method in WithOrder]: (
    order: Omit<Parameters<Whole[Method]>[0], "epoch">,
  ) => ReplyOf<Whole[Method]>;
} & {
  adoptArtefact(id: Parameters<Whole["adoptArtefact"]>[0]): ReplyOf<Whole["adoptArtefact"]>;
  moveCursor(cursor: string): ReplyOf<Whole["moveCursor"]>;
  moveNoticeCursor(cursor: string | undefined): ReplyOf<Whole["moveNoticeCursor"]>;
  noteNoticeProblems(
    problems: Parameters<Whole["noteNoticeProblems"]>[1],
  ): ReplyOf<Whole["noteNoticeProblems"]>;
  clearDue(items: Parameters<Whole["clearDue"]>[0]): ReplyOf<Whole["clearDue"]>;
  deferDue(items: Parameters<Whole["deferDue"]>[0], afterMs: number): ReplyOf<Whole["deferDue"]>;
  logAsLeader(
    draft: Parameters<Whole["logAsLeader"]>[0],
    readOn?: number,
  ): ReplyOf<Whole["logAsLeader"]>;
  oweEvent(...owed: FirstTwo<Whole["oweEvent"]>): ReplyOf<Whole["oweEvent"]>;
  reopenMail(agents?: Parameters<Whole["reopenMail"]>[1]): ReplyOf<Whole["reopenMail"]>;
  settleOwed(ids: readonly string[], readOn: number): ReplyOf<Whole["settleOwed"]>;
  removeOldEvents(ids: Parameters<Whole["removeOldEvents"]>[0]): ReplyOf<Whole["removeOldEvents"]>;
  forgetRefused(): ReplyOf<Whole["forgetRefused"]>;
  postAsLeader(artefact: Parameters<Whole["postAsLeader"]>[0]): ReplyOf<Whole["postAsLeader"]>;
  finishGrant(order: FinishOrder): Promise<FinishReply>;
};

type FirstTwo<Method extends (one: never, two: never, ...rest: never[]) => unknown> =
  Parameters<Method> extends [infer One, infer Two, ...unknown[]] ? [One, Two] : never;

type FinishOrder = Omit<Parameters<Whole["finishGrant"]>[0], "commit"> & {
  commit?: Omit<ClaimCommit, "epoch">;
};
type FinishReply =
  | Exclude<Awaited<ReturnType<Whole["finishGrant"]>>, { outcome: "finished" }>
  | Finished;
type Finished = { outcome: "finished"; commit?: Unfenced<CommittedWith> };

/**
 * The methods are those of `CandidateBlackboard`, without the epoch. They reject with Fenced where
 * it is over.
 */
export type LeaderBlackboard = Omit<
  Whole,
  keyof UnderEpoch | "acquireLeaderLease" | "releaseLeaderLease"
> &
  UnderEpoch & { readonly epoch: number };

/** `epoch`: of the leader lease that this process has acquired. */
export function lead(board: CandidateBlackboard, epoch: number): LeaderBlackboard {
  const unfenced = async <Reply extends { outcome: string }>(
    reply: Promise<Reply>,
  ): Promise<Unfenced<Reply>> => {
    const answer = await reply;
    if (answer.outcome === "fenced") throw new Fenced(epoch);
    // The compiler cannot see that the outcome is another one now.
    return answer as Unfenced<Reply>;
  };
  return {
    ...board,
    epoch,
    openClaim: (order) => unfenced(board.openClaim({ ...order, epoch })),
    commitClaim: (order) => unfenced(board.commitClaim({ ...order, epoch })),
    announceClaim: (order) => unfenced(board.announceClaim({ ...order, epoch })),
    endGoal: (order) => unfenced(board.endGoal({ ...order, epoch })),
    askPeople: (order) => unfenced(board.askPeople({ ...order, epoch })),
    setPaused: (order) => unfenced(board.setPaused({ ...order, epoch })),
    recordDelivery: (order) => unfenced(board.recordDelivery({ ...order, epoch })),
    adoptArtefact: (id) => unfenced(board.adoptArtefact(id, epoch)),
    moveCursor: (cursor) => unfenced(board.moveCursor(epoch, cursor)),
    moveNoticeCursor: (cursor) => unfenced(board.moveNoticeCursor(epoch, cursor)),
    noteNoticeProblems: (problems) => unfenced(board.noteNoticeProblems(epoch, problems)),
    clearDue: (items) => unfenced(board.clearDue(items, epoch)),
    deferDue: (items, afterMs) => unfenced(board.deferDue(items, afterMs, epoch)),
    logAsLeader: (draft, readOn) => unfenced(board.logAsLeader(draft, epoch, readOn)),
    oweEvent: (owed, draft) => unfenced(board.oweEvent(owed, draft, epoch)),
    reopenMail: (agents) => unfenced(board.reopenMail(epoch, agents)),
    settleOwed: (ids, readOn) => unfenced(board.settleOwed(ids, epoch, readOn)),
    removeOldEvents: (ids) => unfenced(board.removeOldEvents(ids, epoch)),
    forgetRefused: () => unfenced(board.forgetRefused(epoch)),
    postAsLeader: (artefact) => unfenced(board.postAsLeader(artefact, epoch)),
    async finishGrant({ commit, ...order }) {
      const reply = await board.finishGrant({
        ...order,
        ...(commit && { commit: { ...commit, epoch } }),
      });
      if (reply.outcome !== "finished" || reply.commit === undefined) return reply as FinishReply;
      return { ...reply, commit: await unfenced(Promise.resolve(reply.commit)) };
    },
  };
}
