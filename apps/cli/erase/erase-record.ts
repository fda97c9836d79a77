// Takes the content of artefacts off the blackboard, each with the event that says so.
import { Buffer } from "node:buffer";
import type { ArtefactErasure } from "../../../lib/blackboard/port/erase.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { digestOfRecord, saltIn } from "../../../lib/blackboard/records/artefact-record.ts";
import type { Marks } from "../../../lib/client/actions/marks.ts";
import { type Sign, signatureOf } from "../../../lib/client/actions/sign.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { type ArtefactHead, erasureIn } from "../../../lib/model/artefact.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { laneMoveOf } from "../../../lib/model/lane.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import { erasureStatedBy } from "../../../lib/proof/statement.ts";
import { erasedText } from "../../../lib/words/erased.ts";
import { shortId } from "../../../lib/words/short-id.ts";

/** Few, because Redis runs nothing else while a function runs. */
const erasedAtOnce = 50;

/** `atOnce`: so many of them in one step; few, where it has no say. */
export type ErasableBoard = Pick<
  PersonBlackboard,
  "instance" | "listAgents" | "eraseArtefacts" | "readRecord" | "time"
> & { atOnce?: number };
type Order = {
  goal: GoalId;
  isGoal: boolean;
  heads: readonly ArtefactHead[];
  actor: Actor;
  reason: string;
  sign: Sign | undefined;
  suggest: Suggest;
  signal: AbortSignal;
};

/** Returns how many were not erased before. Throws `request-refused`, and `interrupted`. */
export async function eraseRecords(board: ErasableBoard, order: Order): Promise<number> {
  const { goal, actor, suggest, signal } = order;
  const heads = order.heads.filter(({ metadata }) => erasureIn(metadata) === undefined);
  if (heads.length === 0) return 0;
  const at = new Date(await board.time()).toISOString();
  const marks = await marksOf(board, heads, at, order);
  let count = 0;
  const { atOnce = erasedAtOnce } = board;
  for (let from = 0; from < heads.length; from += atOnce) {
    if (signal.aborted)
      throw new SettError("interrupted", "Interrupted.", {
        hint: "Run the same command again: it erases the rest.",
      });
    const some = heads.slice(from, from + atOnce);
    const erasures = await Promise.all(
      some.map((head) => erasureOf(board, head, { ...order, at, marks })),
    );
    const reply = await board.eraseArtefacts({ goal, erasures, actor });
    if (reply.outcome !== "erased") throw refusal(reply.outcome, goal, suggest);
    count += reply.count;
  }
  return count;
}

/** All of a goal is erased by one signature. */
async function marksOf(
  board: ErasableBoard,
  heads: readonly ArtefactHead[],
  at: string,
  { goal, isGoal, actor, reason, sign, suggest }: Order,
): Promise<Marks> {
  const [only] = heads;
  const about =
    isGoal || only === undefined
      ? { artefact: "", sha256: "" }
      : { artefact: only.id, sha256: (await digestOf(board, only.id)) ?? "" };
  const { instance } = board;
  const stated = erasureStatedBy({ ...about, goal, reason, actor, instance });
  return await signatureOf({ board, sign, suggest }, { ...stated, act: "erase" }, { actor, at });
}

/** Undefined for one without a salt, whose event names no digest. */
async function digestOf(board: ErasableBoard, id: ArtefactId): Promise<string | undefined> {
  const record = Buffer.from((await board.readRecord(id)) ?? "", "base64");
  return saltIn(record) === "" ? undefined : digestOfRecord(record);
}

async function erasureOf(
  board: ErasableBoard,
  head: ArtefactHead,
  { actor: by, reason, at, marks }: Pick<Order, "actor" | "reason"> & { at: string; marks: Marks },
): Promise<ArtefactErasure> {
  const { id, goal_id, metadata } = head;
  const { commit, remark_on, reverts } = metadata;
  const { reverted_by: _, ...move } = laneMoveOf(head) ?? {};
  const sha256 = await digestOf(board, id);
  const data = withoutUndefined({ reason, sha256, commit });
  const erased = { by, at, ...data };
  return {
    id,
    // By what stays, other records are compared with the log: it names claims, lanes and commits.
    metadata: {
      ...{ summary: erasedText(erased), erased },
      ...{ remark_on, reverts, ...move },
    },
    event: {
      ...{ type: "artefact_erased", goal_id, artefact_id: id },
      data: { ...(data as Record<string, string>), ...marks },
    },
  };
}

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
