// A person's words to work that goes on: the grants that begin then have them among their inputs.
import { randomUUID } from "node:crypto";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { newThread } from "../../core/new-artefact.ts";
import { type Artefact, userRole } from "../../model/artefact.ts";
import { isEnded } from "../../model/claim.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import { ArtefactId, ClaimId, type GoalId } from "../../model/ids.ts";
import { remarkType } from "../../model/remark-type.ts";
import { shortId } from "../../words/short-id.ts";
import { readGoalState } from "../facts/goal.ts";
import { resolveGoalId } from "../facts/resolve-id.ts";
import { firstLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { checkedText, textKinds } from "./checked-text.ts";
import type { Marks } from "./marks.ts";
import { refusal } from "./request.ts";

/** All of a goal's work, or that on one claim. */
type Hearer = { goal: GoalId; claim: ClaimId | undefined };

/** `claims`: how many open ones have got it. */
type PostedRemark = { words: Artefact; claims: number };

/** Each later grant has it in its input, beside all others. */
const maxCharacters = 20_000;

/** An open claim, or a goal, of this id or beginning. Throws as `resolveGoalId`. */
export async function resolveHearer(
  board: PersonBlackboard,
  text: string,
  suggest: Suggest,
): Promise<Hearer> {
  const start = text.trim().toLowerCase();
  const open = (await board.listOpenClaims()).filter((id) => id.startsWith(start));
  const whole = ClaimId.safeParse(start).data;
  const wanted = open.length === 1 && start.length >= 6 ? open[0] : whole;
  const found = wanted && (await board.readClaim(wanted));
  if (found === undefined)
    return { goal: await resolveGoalId(board, text, suggest), claim: undefined };
  return { goal: found.claim.goal_id, claim: found.claim.id };
}

/**
 * Throws `usage` for a text that is empty or too long, and `request-refused` where no work goes on
 * that could hear it. `id`: where the caller has chosen it.
 */
export async function postRemark(
  board: PersonBlackboard,
  { goal, claim }: Hearer,
  {
    text,
    actor,
    suggest,
    marks,
    id = ArtefactId.parse(randomUUID()),
  }: { text: string; actor: Actor; suggest: Suggest; marks?: Marks; id?: ArtefactId },
): Promise<PostedRemark> {
  const payload = checkedText(text, textKinds.words);
  if (payload.length > maxCharacters)
    throw new SettError("usage", `The text is longer than ${maxCharacters} characters.`, {
      hint: textKinds.words.hintIfTooLong,
    });
  const known = await board.readArtefact(id);
  if (known !== undefined) return { words: requireSame(known, payload), claims: 0 };
  await requireWork(board, { goal, claim }, suggest);
  const [first] = await board.readHeads([ArtefactId.parse(goal)]);
  if (first === undefined) throw refusal(`The artefact of goal ${shortId(goal)} was removed.`);
  const words = newThread(
    { id, at: new Date().toISOString(), role: userRole, agent: "", goal, claim: "" },
    {
      structural_type: "Answer",
      type: remarkType,
      payload,
      sources: [first.head.id],
      metadata: {
        summary: firstLine(payload),
        by: actor.replace(/^person:/, ""),
        ...(claim !== undefined && { remark_on: claim }),
        ...marks,
      },
    },
  );
  const result = await board.tell({ words, claim, actor });
  if (result.outcome === "refused") throw refusal(result.reason);
  return { words, claims: result.claims };
}

/** The repeat of a call finds what it has said. */
function requireSame(known: Artefact, payload: string): Artefact {
  if (known.type === remarkType && known.payload === payload) return known;
  throw new SettError("usage", `The id ${known.id} belongs to another artefact.`, {
    hint: "Choose another id.",
  });
}

async function requireWork(board: PersonBlackboard, { goal, claim }: Hearer, suggest: Suggest) {
  const { state } = (await readGoalState(board, goal)).status;
  if (state !== "running" && state !== "waiting")
    throw refusal(
      `Goal ${shortId(goal)} is ${state}: no work goes on that could hear it.`,
      `Post a goal: ${suggest('forage --goal "…"')}`,
    );
  const status = claim && (await board.readClaim(claim))?.claim.status;
  if (status !== undefined && isEnded(status))
    throw refusal(
      `Claim ${shortId(claim ?? "")} has ended (${status}).`,
      `Tell all work of its goal: ${suggest(`tell ${shortId(goal)} "…"`)}`,
    );
}
