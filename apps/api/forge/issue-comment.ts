// Writes and edits the one comment on an issue. What is about to be done is on record before, and
// what was done after it, so that a crash between leaves no second one.
import { createHash, randomUUID } from "node:crypto";
import { type Forge, ForgeError } from "../../../lib/forge/port.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import type { CommentRecord } from "./comment-record.ts";
import { type IssueFacts, isOver, issueText } from "./issue-text.ts";
import type { PullParts } from "./pull-parts.ts";
import { forgeActor } from "./settings.ts";

export type CommentParts = Pick<PullParts, "board" | "agent"> & {
  forge: Pick<Forge, "comments">;
  issue: number;
  now: () => number;
};

/**
 * A request that got no answer may still be carried out. Longer than any waits for its answer, so
 * that a comment is there by then if it ever comes.
 */
const lateMs = 120_000;
/** The clocks of the forge and of this machine may differ. */
const skewMs = 24 * 60 * 60_000;

/**
 * Returns what is on record then; undefined: a later look decides whether the comment is there.
 * Throws `ForgeError`.
 */
export async function keepComment(
  parts: CommentParts,
  facts: IssueFacts,
  known: CommentRecord | undefined,
): Promise<CommentRecord | undefined> {
  switch (known?.state) {
    case "gone":
      return known;
    case "there":
      return await change(parts, facts, known);
    case "begins":
      return await resume(parts, facts, known);
    default: {
      const at = new Date(parts.now()).toISOString();
      const begun = { state: "begins" as const, word: `sett:${randomUUID()}`, at };
      await record(parts, facts.goal, begun, "begins");
      return await write(parts, facts, begun);
    }
  }
}

type Begun = Extract<CommentRecord, { state: "begins" }>;
type There = Extract<CommentRecord, { state: "there" }>;

async function write(parts: CommentParts, facts: IssueFacts, begun: Begun): Promise<There> {
  const text = issueText(facts, begun.word);
  const id = await parts.forge.comments.write(parts.issue, text);
  return await recordThere(parts, facts, { word: begun.word, id, text });
}

/** The service has ended, or got no answer, after it had begun to write. */
async function resume(
  parts: CommentParts,
  facts: IssueFacts,
  begun: Begun,
): Promise<CommentRecord | undefined> {
  const since = new Date(Date.parse(begun.at) - skewMs);
  const { list, isWhole } = await parts.forge.comments.list(parts.issue, since);
  // A comment of another that quotes the word is newer.
  const [first] = list
    .filter(({ text }) => text.includes(begun.word))
    .toSorted((one, other) => one.id - other.id);
  if (first !== undefined) {
    const found = await recordThere(parts, facts, { word: begun.word, ...first });
    return await change(parts, facts, found);
  }
  if (!isWhole) throw new ForgeError("refused", "The issue has more comments than Sett reads.");
  const nowMs = parts.now();
  if (nowMs < Date.parse(begun.at) + lateMs) return undefined;
  const again = { ...begun, at: new Date(nowMs).toISOString() };
  await record(parts, facts.goal, again, "begins");
  return await write(parts, facts, again);
}

async function change(
  parts: CommentParts,
  facts: IssueFacts,
  known: There,
): Promise<CommentRecord> {
  const text = issueText(facts, known.word);
  if (digestOf(text) === known.text) return known;
  // Its digest goes first: a later look does not know what the comment says until this is done.
  await record(parts, facts.goal, { ...known, text: "", is_over: false }, "begins");
  const outcome = await parts.forge.comments.change(parts.issue, known.id, text);
  if (outcome === "changed") return await recordThere(parts, facts, { ...known, text });
  const gone = { state: "gone" as const };
  await record(parts, facts.goal, gone, "stops");
  return gone;
}

async function recordThere(
  parts: CommentParts,
  facts: IssueFacts,
  { word, id, text }: Pick<There, "word" | "id" | "text">,
): Promise<There> {
  const isLast = text === issueText(facts, word) && isOver(facts);
  const there = { state: "there" as const, word, id, text: digestOf(text), is_over: isLast };
  await record(parts, facts.goal, there, "done");
  return there;
}

/** `stops`: a person has removed it. */
async function record(
  { board, agent, issue }: CommentParts,
  goal: GoalId,
  known: CommentRecord,
  state: "begins" | "done" | "stops",
): Promise<void> {
  const what = state === "stops" ? "A person has removed it" : `issue ${issue}`;
  await board.recordTrigger({
    record: { goal },
    mark: "comment",
    value: JSON.stringify(known),
    event: {
      type: "forge_step",
      ...{ goal_id: goal, agent: agent.name },
      data: { forge: agent.forge, step: "comment", state, what },
    },
    actor: forgeActor(agent),
  });
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
