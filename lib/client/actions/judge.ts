// A person's verdict on an artefact: the Review that ends the grant of the agent for which the
// person speaks.
import { randomUUID } from "node:crypto";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { isPerson } from "../../core/is-person.ts";
import { newThread } from "../../core/new-artefact.ts";
import { afterVerdict, discounted, type Progress, progressOf } from "../../core/quorum.ts";
import type { RegisteredAgent } from "../../model/agent.ts";
import { type Artefact, maxMetadataBytes, maxPayloadBytes } from "../../model/artefact.ts";
import { isEnded, isForApproval, type WaitingGrant } from "../../model/claim.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import { type AgentName, ArtefactId, type ClaimId } from "../../model/ids.ts";
import type { Approvals } from "../../model/quorum.ts";
import { actorName } from "../../words/actor-name.ts";
import { approvalsText } from "../../words/approvals-text.ts";
import { shortId } from "../../words/short-id.ts";
import { readSound } from "../facts/checked.ts";
import { notFound, resolveArtefactId, wrongKind } from "../facts/resolve-id.ts";
import { firstLine, oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { typeText } from "../text/type-text.ts";
import { explainNoVerdict } from "./explain-no-verdict.ts";
import { type Obstacle, readObstacle } from "./obstacle.ts";
import { refusal } from "./request.ts";
import { type Sign, signed } from "./sign.ts";

/** A verdict is about this content, and has the digest of what the person has seen. */
export type Judged = {
  artefact: Artefact;
  digest: string;
  sha256?: string;
  pending: PendingVerdict;
};

/**
 * `reason`: the person's words; a rejection has some. `id`: of the Review, where the caller has
 * chosen it.
 */
export type Verdict = {
  approves: boolean;
  reason: string | undefined;
  actor: Actor;
  suggest: Suggest;
  id?: ArtefactId;
  sign?: Sign | undefined;
};

/**
 * `sentence`: who has decided what. `obstacle`: what keeps work from going on. `more`: undefined
 * where no other has to approve, too.
 */
export type RecordedVerdict = {
  review: Artefact;
  sentence: string;
  obstacle: Obstacle | undefined;
  more: Progress | undefined;
};

/** A grant that waits for a person's verdict. */
type PendingVerdict = { claim: ClaimId; grant: WaitingGrant };

/** `speaker`: the agent for which the actor speaks; undefined: the only one that could be meant. */
export type Speaking = { speaker: string | undefined; actor: Actor; suggest: Suggest };

/**
 * Finds what `text`, an id or its beginning, names. Throws `request-refused` where no verdict is
 * due, or only of other people, and `usage` where several could be meant; and as `readSound`.
 */
export async function findJudged(
  board: PersonBlackboard,
  text: string,
  speaking: Speaking,
): Promise<Judged> {
  const { suggest } = speaking;
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
  return { ...read, pending: await choose(board, artefact, speaking) };
}

/**
 * Throws `request-refused` where another person was faster, or the person's approval does not
 * count, and `usage` for a reason that is too long.
 */
export async function judge(
  board: PersonBlackboard,
  { artefact, digest, sha256, pending }: Judged,
  { approves, reason, actor, suggest, id = ArtefactId.parse(randomUUID()), sign }: Verdict,
): Promise<RecordedVerdict> {
  const [agents, obstacle] = await Promise.all([board.listAgents(), readObstacle(board, suggest)]);
  const { claim, grant } = pending;
  const judging = { artefact, actor, agents, suggest };
  if (approves) requireCounted(grant, judging);
  const role = agents.find((agent) => agent.name === grant.agent)?.role ?? grant.agent;
  const at = new Date().toISOString();
  const sentence = `${approves ? "Approved" : "Rejected"} by ${oneLine(actorName(actor))}`;
  const unsigned = newThread(
    { id, at, role, agent: grant.agent, goal: artefact.goal_id, claim },
    {
      structural_type: "Review",
      type: "Review",
      // Only an empty payload approves: what a person says with it is beside it.
      payload: JSON.stringify(approves ? {} : { reason }),
      sources: [artefact.id],
      metadata: {
        summary: reason === undefined ? sentence : `${sentence}: ${firstLine(reason)}`,
        ...(approves && reason !== undefined && { comment: reason }),
        artefact: artefact.id,
        // An artefact of an earlier version has no other.
        digest: sha256 === undefined ? `sha1:${digest}` : `sha256:${sha256}`,
        by: actor.replace(/^person:/, ""),
      },
    },
  );
  const about = { artefact: unsigned, actor, content: sha256 ?? "" };
  const review = await signed({ board, sign, suggest }, about);
  requireStorable(review, reason);
  const by = actor.replace(/^person:/, "");
  const verdict = { review: review.id, at, by, approves };
  const people = peopleOf(grant.agent, agents);
  for (let waiting = grant; ; ) {
    const next = afterVerdict(waiting, verdict, people);
    const result = await board.recordVerdict({ grant: next, review, digest, actor });
    if (result.outcome === "recorded") {
      const waitsFor = next.state === "waiting" ? next.quorum : undefined;
      return { review, sentence, obstacle, more: waitsFor && progressOf(waitsFor, people) };
    }
    // Another person may have been faster.
    ({ grant: waiting } = await choose(board, artefact, { speaker: grant.agent, actor, suggest }));
    if (result.outcome === "refused") throw refusal(result.reason);
    if (approves) requireCounted(waiting, judging);
  }
}

type Judging = {
  artefact: Pick<Artefact, "id" | "type">;
  actor: Actor;
  agents: readonly RegisteredAgent[];
  suggest: Suggest;
};

/** Throws `request-refused`. */
function requireCounted({ agent, quorum }: WaitingGrant, judging: Judging): void {
  if (quorum === undefined) return;
  const { artefact, agents, suggest } = judging;
  const { approvals, may_approve } = progressOf(quorum, peopleOf(agent, agents));
  const why = whyNotCounted(agent, approvals, judging);
  if (why === undefined) return;
  const hint = `It waits for ${listedOr(may_approve)}. You may send it back: ${suggest(`reject ${shortId(artefact.id)} --reason "…"`)}`;
  throw new SettError("request-refused", why, { hint });
}

/**
 * A sentence where an approval of the actor would not count, though it may send the artefact back.
 */
export function whyNotCounted(
  agent: AgentName,
  approvals: Approvals,
  { artefact, actor, agents }: Omit<Judging, "suggest">,
): string | undefined {
  const why = discounted(actor.replace(/^person:/, ""), approvals, peopleOf(agent, agents));
  const name = oneLine(actorName(actor));
  if (why === "again")
    return `${name} has approved ${typeText(artefact.type)} ${shortId(artefact.id)} already, and ${approvals.needed} different people have to.`;
  const parts = agents.find((one) => one.name === agent)?.not_by ?? [];
  return why === "involved"
    ? `The approval of ${name} does not count: \`not_by\` of ${agent} in sett.yml leaves out people who had a part in this work (${parts.join(", ")}).`
    : undefined;
}

/** A clause that says how many have approved, and for whom it waits. */
export function progressText({ approvals, may_approve }: Progress): string {
  return `${approvalsText(approvals)}. It waits for ${listedOr(may_approve)}`;
}

function listedOr(names: readonly string[]): string {
  return names.length === 0
    ? "a person whom `people` in sett.yml does not name yet"
    : names.join(" or ");
}

function peopleOf(agent: AgentName, agents: readonly RegisteredAgent[]) {
  return agents.find(({ name }) => name === agent)?.people;
}

/** Throws an explanation where no verdict of the actor is due, or where several could be meant. */
async function choose(
  board: PersonBlackboard,
  artefact: Artefact,
  { speaker, actor, suggest }: Speaking,
): Promise<PendingVerdict> {
  const [pending, agents] = await Promise.all([
    pendingVerdicts(board, artefact.id),
    board.listAgents(),
  ]);
  const what = `${typeText(artefact.type)} ${shortId(artefact.id)}`;
  const names = pending.map(({ grant }) => grant.agent);
  const meant =
    speaker === undefined ? pending : pending.filter(({ grant }) => grant.agent === speaker);
  const [only, ...others] = meant.filter(({ grant }) => maySpeak(actor, grant.agent, agents));
  if (only === undefined && meant.length > 0) {
    const speakers = meant.map(
      ({ grant }) => `${grant.agent} (${speakersOf(grant.agent, agents)})`,
    );
    throw new SettError(
      "request-refused",
      `${what} waits for ${speakers.join(" and ")}, and ${oneLine(actor.replace(/^person:/, ""))} is none of them.`,
      { hint: "`people` in sett.yml says who is who, and who may give which verdict." },
    );
  }
  if (only === undefined)
    throw refusal(
      await explainNoVerdict(board, suggest, artefact, speaker as AgentName | undefined, names),
    );
  if (others.length === 0) return only;
  throw new SettError("usage", `${what} waits for ${names.length} people: ${names.join(", ")}.`, {
    hint: `Name the agent for which you speak: --for ${only.grant.agent}`,
  });
}

/** Everybody may where the agent names no people. */
export function maySpeak(
  actor: Actor,
  name: AgentName,
  agents: readonly RegisteredAgent[],
): boolean {
  const people = peopleOf(name, agents);
  return people === undefined || people.some((person) => isPerson(actor, person));
}

function speakersOf(name: AgentName, agents: readonly RegisteredAgent[]): string {
  return (peopleOf(name, agents) ?? []).map((person) => person.name).join(", ");
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

function requireStorable({ payload, metadata }: Artefact, reason = ""): void {
  const isTooLong =
    Buffer.byteLength(payload) > maxPayloadBytes ||
    Buffer.byteLength(JSON.stringify(metadata)) > maxMetadataBytes;
  if (!isTooLong) return;
  const limit = metadata.comment === undefined ? "16 MiB" : "1 MiB";
  const megabytes = (Buffer.byteLength(reason) / 1024 / 1024).toFixed(1);
  throw new SettError("usage", `The reason is longer than ${limit}: it has ${megabytes} MiB.`, {
    hint: "Give a shorter reason.",
  });
}
