// A person's verdict on an artefact: the Review that ends the grant of the agent for which the
// person speaks.
import { randomUUID } from "node:crypto";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { rejection } from "../../blackboard/records/ended-grant.ts";
import { newThread } from "../../core/new-artefact.ts";
import { type Artefact, maxPayloadBytes } from "../../model/artefact.ts";
import { type DoneGrant, isEnded, isForApproval, type WaitingGrant } from "../../model/claim.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import { type AgentName, ArtefactId, type ClaimId } from "../../model/ids.ts";
import { actorName } from "../../words/actor-name.ts";
import { shortId } from "../../words/short-id.ts";
import { readSound } from "../facts/checked.ts";
import { notFound, resolveArtefactId, wrongKind } from "../facts/resolve-id.ts";
import { firstLine, oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { typeText } from "../text/type-text.ts";
import { explainNoVerdict } from "./explain-no-verdict.ts";
import { type Obstacle, readObstacle } from "./obstacle.ts";
import { refusal } from "./request.ts";

/** A verdict is about this content, and has the digest of what the person has seen. */
export type Judged = { artefact: Artefact; digest: string; pending: PendingVerdict };

/** `feedback`: undefined approves. `id`: of the Review, where the caller has chosen it. */
export type Verdict = {
  feedback: string | undefined;
  actor: Actor;
  suggest: Suggest;
  id?: ArtefactId;
};

/** `sentence`: who has decided what. `obstacle`: what keeps work from going on. */
export type RecordedVerdict = {
  review: Artefact;
  sentence: string;
  obstacle: Obstacle | undefined;
};

/** A grant that waits for a person's verdict. */
type PendingVerdict = { claim: ClaimId; grant: WaitingGrant };

/**
 * Finds what `text`, an id or its beginning, names, for the agent `speaker`. Throws
 * `request-refused` where no verdict is due, and `usage` where several people could be meant; and
 * as `readSound`.
 */
export async function findJudged(
  board: PersonBlackboard,
  text: string,
  speaker: string | undefined,
  suggest: Suggest,
): Promise<Judged> {
  const id = await resolveArtefactId(board, text, suggest);
  const [read] = await Promise.all([board.readWithDigest(id), readSound(board, id, suggest)]);
  if (read === undefined) throw notFound(text, "artefact", suggest);
  const { artefact } = read;
  if (artefact.structural_type !== "Standard")
    throw wrongKind(
      artefact,
      "a result to judge",
      `\`${suggest("questions")}\` lists what waits for a person.`,
    );
  return { ...read, pending: await choose(board, artefact, speaker, suggest) };
}

/**
 * Throws `request-refused` where another person was faster, and `usage` for a reason that is too
 * long.
 */
export async function judge(
  board: PersonBlackboard,
  { artefact, digest, pending: { claim, grant } }: Judged,
  { feedback, actor, suggest, id = ArtefactId.parse(randomUUID()) }: Verdict,
): Promise<RecordedVerdict> {
  const [agents, obstacle] = await Promise.all([board.listAgents(), readObstacle(board, suggest)]);
  const role = agents.find((agent) => agent.name === grant.agent)?.role ?? grant.agent;
  const at = new Date().toISOString();
  const sentence = `${feedback === undefined ? "Approved" : "Rejected"} by ${oneLine(actorName(actor))}`;
  const review = newThread(
    { id, at, role, agent: grant.agent, goal: artefact.goal_id, claim },
    {
      structural_type: "Review",
      type: "Review",
      payload: JSON.stringify(feedback === undefined ? {} : { reason: feedback }),
      sources: [artefact.id],
      metadata: {
        summary: feedback === undefined ? sentence : `${sentence}: ${firstLine(feedback)}`,
        artefact: artefact.id,
        digest: `sha1:${digest}`,
        by: actor.replace(/^person:/, ""),
      },
    },
  );
  if (feedback !== undefined) requireStorable(review.payload);
  const result = await board.recordVerdict({
    grant: doneGrant(grant, at, review),
    review,
    digest,
    actor,
  });
  if (result.outcome === "refused") {
    // Another person may have been faster.
    await choose(board, artefact, grant.agent, suggest);
    throw refusal(result.reason);
  }
  return { review, sentence, obstacle };
}

/**
 * Throws an explanation where no verdict of `agent` is due, or where several people could be meant.
 */
async function choose(
  board: PersonBlackboard,
  artefact: Artefact,
  agent: string | undefined,
  suggest: Suggest,
): Promise<PendingVerdict> {
  const pending = await pendingVerdicts(board, artefact.id);
  const names = pending.map(({ grant }) => grant.agent);
  const [only, ...others] =
    agent === undefined ? pending : pending.filter(({ grant }) => grant.agent === agent);
  if (only === undefined)
    throw refusal(
      await explainNoVerdict(board, suggest, artefact, agent as AgentName | undefined, names),
    );
  if (others.length === 0) return only;
  throw new SettError(
    "usage",
    `${typeText(artefact.type)} ${shortId(artefact.id)} waits for ${names.length} people: ${names.join(", ")}.`,
    {
      hint: `Name the agent for which you speak: --for ${only.grant.agent}`,
    },
  );
}

async function pendingVerdicts(
  board: PersonBlackboard,
  artefact: ArtefactId,
): Promise<PendingVerdict[]> {
  const claims = await board.readClaims([...(await board.claimsOfArtefact(artefact)).values()]);
  return claims.flatMap(({ claim, grants }) =>
    grants.flatMap((grant) =>
      !isEnded(claim.status) && isForApproval(grant) ? [{ claim: claim.id, grant }] : [],
    ),
  );
}

function doneGrant(
  { waits_for: _, ...grant }: WaitingGrant,
  at: string,
  review: Artefact,
): DoneGrant {
  return { ...grant, state: "done", ended_at: at, artefact_ids: [review.id], ...rejection(review) };
}

function requireStorable(payload: string): void {
  if (Buffer.byteLength(payload) <= maxPayloadBytes) return;
  throw new SettError("usage", "The reason is longer than 16 MiB.", {
    hint: "Give a shorter reason.",
  });
}
