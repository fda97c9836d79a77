// A person's word on what waits for it: the Review that ends the grant of the agent that this person speaks for.

import { randomUUID } from "node:crypto";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
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
import { heldUntil } from "./held-until.ts";
import { whyNotAwaited } from "./why-not-awaited.ts";

export const verdictArguments = {
  artefact: { type: "positional", required: true, description: "the artefact's id; 6 or more characters are enough" },
  for: {
    type: "string",
    valueHint: "NAME",
    description: "the agent of sett.yml that you speak for; needed where several people are waited for",
  },
  as: asArgument,
  json: jsonArgument,
  name: nameArgument,
} as const;

/** A grant that waits for a person's word. */
type Awaited = { claim: ClaimId; grant: WaitingGrant };

/** `feedback`: undefined approves. Prints the Review's id. Throws `request-refused` where nobody waits for it, and `usage`. */
export async function giveVerdict(
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
    throw wrongKind(artefact, "nothing to judge", `\`${suggest("questions")}\` lists what waits for a person.`);
  const { claim, grant } = await choose(board, artefact, args.for, suggest);
  const [agents, held] = await Promise.all([board.listAgents(), heldUntil(board, suggest)]);
  const role = agents.find((agent) => agent.name === grant.agent)?.role ?? grant.agent;
  const at = new Date().toISOString();
  const word = `${feedback === undefined ? "Approved" : "Rejected"} by ${oneLine(actorName(actor))}`;
  const review = newThread(
    { id: randomUUID(), at, role, agent: grant.agent, goal: artefact.goal_id, claim },
    {
      structural_type: "Review",
      type: "Review",
      payload: JSON.stringify(feedback === undefined ? {} : { reason: feedback }),
      sources: [id],
      metadata: {
        summary: feedback === undefined ? word : `${word}: ${firstLine(feedback)}`,
        artefact: id,
        digest: `sha1:${digest}`,
        by: actor.replace(/^person:/, ""),
      },
    },
  );
  if (feedback !== undefined) requireStorable(review.payload);
  await shell.err.write(`${subjectOf(artefact)}\n`);
  const result = await board.giveVerdict({ grant: doneGrant(grant, at, review.id), review, digest, actor });
  if (result.outcome === "refused") {
    // Somebody else may have been faster.
    await choose(board, artefact, grant.agent, suggest);
    throw refusal(result.reason);
  }
  const { payload: _, ...told } = review;
  await shell.out.write(
    args.json ? `${JSON.stringify({ ...told, verdict: feedback === undefined ? "approved" : "rejected" })}\n` : `${review.id}\n`,
  );
  shell.messages.done(`${word}, for ${grant.agent}${held === undefined ? "" : `; it goes on ${held.until}`}.`);
  if (held !== undefined) shell.messages.next(held.next);
}

/** Throws with what is waited for instead, where it is not the word of `agent`, or of any one person. */
async function choose(board: Blackboard, artefact: Artefact, agent: string | undefined, suggest: Suggest): Promise<Awaited> {
  const awaited = await verdictsAwaited(board, artefact.id);
  const names = awaited.map(({ grant }) => grant.agent);
  const [only, ...others] = agent === undefined ? awaited : awaited.filter(({ grant }) => grant.agent === agent);
  if (only === undefined) throw refusal(await whyNotAwaited(board, suggest, artefact, agent as AgentName | undefined, names));
  if (others.length === 0) return only;
  throw new SettError(
    "usage",
    `${names.length} people are asked to judge ${oneLine(artefact.type)} ${shortId(artefact.id)}: ${names.join(", ")}.`,
    {
      hint: `Say which of them you speak for: --for ${only.grant.agent}`,
    },
  );
}

async function verdictsAwaited(board: Blackboard, artefact: ArtefactId): Promise<Awaited[]> {
  const claims = await board.readClaims([...(await board.claimsOfArtefact(artefact)).values()]);
  return claims.flatMap(({ claim, grants }) =>
    grants.flatMap((grant) => (!isEnded(claim.status) && isForApproval(grant) ? [{ claim: claim.id, grant }] : [])),
  );
}

function doneGrant({ waits_for: _, ...grant }: WaitingGrant, at: string, review: ArtefactId): DoneGrant {
  return { ...grant, state: "done", ended_at: at, artefact_ids: [review] };
}

/** What is being judged, for whoever typed an id. */
function subjectOf({ id, type, version, metadata }: Artefact): string {
  const commit = metadata.commit === undefined ? "" : `, commit ${metadata.commit.slice(0, 12)}`;
  const summary = oneLine(metadata.summary ?? "");
  return `${oneLine(type)} version ${version} (${shortId(id)}${commit})${summary === "" ? "" : `: ${summary}`}`;
}

function requireStorable(payload: string): void {
  if (Buffer.byteLength(payload) > maxPayloadBytes) throw new SettError("usage", "The reason is longer than 16 MiB.");
}
