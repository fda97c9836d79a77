// Posts a person's verdict on an artefact: the Review that ends the grant of the agent for which the person speaks.

import { randomUUID } from "node:crypto";
import type { PersonBlackboard } from "../../../lib/blackboard/holders.ts";
import { newThread } from "../../../lib/core/new-artefact.ts";
import { type Artefact, maxPayloadBytes } from "../../../lib/model/artefact.ts";
import { type DoneGrant, isEnded, isForApproval, type WaitingGrant } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { AgentName, ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import { notFound, resolveArtefactId, wrongKind } from "../facts/resolve-id.ts";
import { refusal } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { asArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import type { Values } from "../program/command.ts";
import { actorName } from "../render/event-line.ts";
import type { Shell } from "../terminal/shell.ts";
import { firstLine, oneLine } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";
import type { Suggest } from "../text/suggest.ts";
import { explainNoVerdict } from "./explain-no-verdict.ts";
import { readObstacle } from "./obstacle.ts";

export const verdictArguments = {
  artefact: { type: "positional", required: true, description: "the artefact's id; 6 or more characters are enough" },
  for: {
    type: "string",
    valueHint: "NAME",
    description: "the agent in sett.yml for which you speak; needed when the artefact waits for several people",
  },
  as: asArgument,
  json: jsonArgument,
  name: nameArgument,
} as const;

/** A grant that waits for a person's verdict. */
type PendingVerdict = { claim: ClaimId; grant: WaitingGrant };

/** `feedback`: undefined approves. Prints the Review's id. Throws `request-refused` where no verdict is due, and `usage`. */
export async function postVerdict(
  args: Values<typeof verdictArguments>,
  feedback: string | undefined,
  shell: Shell,
): Promise<void> {
  await using session = await openSession(shell, args.name);
  const actor = await session.actor(args.as);
  const { board } = session;
  const { suggest } = shell;
  const id = await resolveArtefactId(board, args.artefact, suggest);
  const read = await board.readWithDigest(id);
  if (read === undefined) throw notFound(args.artefact, "artefact", suggest);
  const { artefact, digest } = read;
  if (artefact.structural_type !== "Standard")
    throw wrongKind(artefact, "a result to judge", `\`${suggest("questions")}\` lists what waits for a person.`);
  const { claim, grant } = await choose(board, artefact, args.for, suggest);
  const [agents, obstacle] = await Promise.all([board.listAgents(), readObstacle(board, suggest)]);
  const role = agents.find((agent) => agent.name === grant.agent)?.role ?? grant.agent;
  const at = new Date().toISOString();
  const verdict = `${feedback === undefined ? "Approved" : "Rejected"} by ${oneLine(actorName(actor))}`;
  const review = newThread(
    { id: randomUUID(), at, role, agent: grant.agent, goal: artefact.goal_id, claim },
    {
      structural_type: "Review",
      type: "Review",
      payload: JSON.stringify(feedback === undefined ? {} : { reason: feedback }),
      sources: [id],
      metadata: {
        summary: feedback === undefined ? verdict : `${verdict}: ${firstLine(feedback)}`,
        artefact: id,
        digest: `sha1:${digest}`,
        by: actor.replace(/^person:/, ""),
      },
    },
  );
  if (feedback !== undefined) requireStorable(review.payload);
  await shell.err.write(`${subjectOf(artefact)}\n`);
  const result = await board.recordVerdict({ grant: doneGrant(grant, at, review.id), review, digest, actor });
  if (result.outcome === "refused") {
    // Another person may have been faster.
    await choose(board, artefact, grant.agent, suggest);
    throw refusal(result.reason);
  }
  const { payload: _, ...rest } = review;
  await shell.out.write(
    args.json ? `${JSON.stringify({ ...rest, verdict: feedback === undefined ? "approved" : "rejected" })}\n` : `${review.id}\n`,
  );
  shell.messages.done(`${verdict}, for ${grant.agent}${obstacle === undefined ? "" : `; work goes on ${obstacle.until}`}.`);
  if (obstacle !== undefined) shell.messages.next(obstacle.next);
}

/** Throws an explanation where no verdict of `agent` is due, or where several people could be meant. */
async function choose(
  board: PersonBlackboard,
  artefact: Artefact,
  agent: string | undefined,
  suggest: Suggest,
): Promise<PendingVerdict> {
  const pending = await pendingVerdicts(board, artefact.id);
  const names = pending.map(({ grant }) => grant.agent);
  const [only, ...others] = agent === undefined ? pending : pending.filter(({ grant }) => grant.agent === agent);
  if (only === undefined) throw refusal(await explainNoVerdict(board, suggest, artefact, agent as AgentName | undefined, names));
  if (others.length === 0) return only;
  throw new SettError(
    "usage",
    `${oneLine(artefact.type)} ${shortId(artefact.id)} waits for ${names.length} people: ${names.join(", ")}.`,
    {
      hint: `Name the agent for which you speak: --for ${only.grant.agent}`,
    },
  );
}

async function pendingVerdicts(board: PersonBlackboard, artefact: ArtefactId): Promise<PendingVerdict[]> {
  const claims = await board.readClaims([...(await board.claimsOfArtefact(artefact)).values()]);
  return claims.flatMap(({ claim, grants }) =>
    grants.flatMap((grant) => (!isEnded(claim.status) && isForApproval(grant) ? [{ claim: claim.id, grant }] : [])),
  );
}

function doneGrant({ waits_for: _, ...grant }: WaitingGrant, at: string, review: ArtefactId): DoneGrant {
  return { ...grant, state: "done", ended_at: at, artefact_ids: [review] };
}

/** The artefact under review, for the person who typed its id. */
function subjectOf({ id, type, version, metadata }: Artefact): string {
  const commit = metadata.commit === undefined ? "" : `, commit ${metadata.commit.slice(0, 12)}`;
  const summary = oneLine(metadata.summary ?? "");
  return `${oneLine(type)} version ${version} (${shortId(id)}${commit})${summary === "" ? "" : `: ${summary}`}`;
}

function requireStorable(payload: string): void {
  if (Buffer.byteLength(payload) <= maxPayloadBytes) return;
  throw new SettError("usage", "The reason is longer than 16 MiB.", { hint: "Give a shorter reason." });
}
