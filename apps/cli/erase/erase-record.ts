// Takes the content of artefacts off the blackboard, each with the event that says so.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { ArtefactErasure } from "../../../lib/blackboard/port/erase.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { laneMoveOf } from "../../../lib/model/lane.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { erasedText } from "../../../lib/words/erased.ts";
import { shortId } from "../../../lib/words/short-id.ts";

/** Few, because Redis runs nothing else while a function runs. */
const erasedAtOnce = 50;

type Board = Pick<PersonBlackboard, "eraseArtefacts" | "readRecord" | "time">;
type Order = {
  goal: GoalId;
  heads: readonly ArtefactHead[];
  actor: Actor;
  reason: string;
  suggest: Suggest;
  signal: AbortSignal;
};

/** Returns how many were not erased before. Throws `request-refused`, and `interrupted`. */
export async function eraseRecords(board: Board, order: Order): Promise<number> {
  const { goal, heads, actor, suggest, signal } = order;
  let count = 0;
  for (let at = 0; at < heads.length; at += erasedAtOnce) {
    if (signal.aborted)
      throw new SettError("interrupted", "Interrupted.", {
        hint: "Run the same command again: it erases the rest.",
      });
    const some = heads.slice(at, at + erasedAtOnce);
    const erasures = await Promise.all(some.map((head) => erasureOf(board, head, order)));
    const reply = await board.eraseArtefacts({ goal, erasures, actor });
    if (reply.outcome !== "erased") throw refusal(reply.outcome, goal, suggest);
    count += reply.count;
  }
  return count;
}

async function erasureOf(
  board: Board,
  head: ArtefactHead,
  { actor: by, reason }: Pick<Order, "actor" | "reason">,
): Promise<ArtefactErasure> {
  const { id, goal_id, metadata } = head;
  const { commit, remark_on, reverts } = metadata;
  const { reverted_by: _, ...move } = laneMoveOf(head) ?? {};
  const record = Buffer.from((await board.readRecord(id)) ?? "", "base64");
  const sha256 = createHash("sha256").update(record).digest("hex");
  const at = new Date(await board.time()).toISOString();
  const data = { reason, sha256, ...withoutUndefined({ commit }) };
  const erased = { by, at, ...data };
  return {
    id,
    // By what stays, other records are compared with the log: it names claims, lanes and commits.
    metadata: {
      ...{ summary: erasedText(erased), erased },
      ...{ remark_on, reverts, ...move },
    },
    event: { type: "artefact_erased", goal_id, artefact_id: id, data: data as Data },
  };
}

type Data = Record<string, string>;

function refusal(outcome: "open" | "retired", goal: GoalId, suggest: Suggest): SettError {
  const id = shortId(goal);
  if (outcome === "retired")
    return new SettError("request-refused", `Goal ${id} is being moved into a file.`, {
      hint: `Nothing more was erased. Let this end first: ${suggest("prune --before 30d")}`,
    });
  const why = `Work on goal ${id} goes on or waits, and its agents need what they were given.`;
  return new SettError("request-refused", `${why} Nothing more was erased.`, {
    hint: `Let it end, or end it: ${suggest(`cancel ${id}`)}`,
  });
}
