// Makes a call of the blackboard that came through the API: with arguments that are valid, and in
// the name of its caller alone, beside which an assistant may stand.
import { z } from "zod";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { Right } from "../../model/api-access.ts";
import { type Artefact, goalType } from "../../model/artefact.ts";
import type { ClaimSnapshot, MalformedClaim } from "../../model/claim.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor, EventDraft } from "../../model/event.ts";
import type { ClaimId, CommitHash, GoalId } from "../../model/ids.ts";
import { parseJson } from "../../model/json.ts";
import { remarkType } from "../../model/remark-type.ts";
import { actorBy, assistantIn } from "../actions/assistant.ts";
import { checkedText, textKinds } from "../actions/checked-text.ts";
import { findJudged, judge } from "../actions/judge.ts";
import type { Marks } from "../actions/marks.ts";
import { type AnsweringRights, postAnswer } from "../actions/post-answer.ts";
import type { PostedInput } from "../actions/post-artefact.ts";
import { postRemark } from "../actions/post-remark.ts";
import type { Sign } from "../actions/sign.ts";
import { issueSentence } from "../text/issue-sentence.ts";
import { oneLine, shorten } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { type RemoteCallName, remoteCalls } from "./calls.ts";

const maxNameLength = 60;

export type ReadClaims = { claims: ClaimSnapshot[]; malformed: MalformedClaim[] };

/**
 * `postGoal`: throws where the API has no repository, or one without that commit, and as
 * `postGoal`.
 */
export type CallDeps = {
  board: PersonBlackboard;
  actor: Actor;
  may: AnsweringRights;
  suggest: Suggest;
  postGoal(goal: {
    text: string;
    id: GoalId;
    commit: CommitHash;
    actor: Actor;
    marks?: Marks;
    sign?: Sign | undefined;
  }): Promise<unknown>;
  /** Throws as `postArtefact`. */
  postArtefact(input: Omit<PostedInput, "suggest">): Promise<unknown>;
};

const Payload = z.strictObject({ reason: z.string().optional() });

export function rightOf(name: RemoteCallName, args: unknown): Right {
  if (name !== "createArtefact") return remoteCalls[name].right;
  const [artefact] = remoteCalls.createArtefact.args.safeParse(args).data ?? [];
  return artefact === undefined || beginsGoal(artefact) ? "forage" : "post";
}

/** What begins a goal has the goal's id. */
function beginsGoal({ id, goal_id }: Pick<Artefact, "id" | "goal_id">): boolean {
  return String(id) === String(goal_id);
}

/** The value that the call returns. Throws `usage` for arguments that are not of its form. */
export async function serveCall(
  name: RemoteCallName,
  args: unknown,
  deps: CallDeps,
): Promise<unknown> {
  const { board } = deps;
  switch (name) {
    case "readClaims": {
      const [ids] = parsed("readClaims", args);
      const malformed: MalformedClaim[] = [];
      const claims = await board.readClaims(ids, (one) => malformed.push(one));
      return { claims, malformed } satisfies ReadClaims;
    }
    case "createArtefact": {
      const [artefact, stated] = parsed("createArtefact", args);
      const post = beginsGoal(artefact) ? postGoal : postOwn;
      return await post(artefact, actingAs(stated, deps));
    }
    case "answerQuestion": {
      const [answer, stated] = parsed("answerQuestion", args);
      return await answerQuestion(answer, actingAs(stated, deps));
    }
    case "tell": {
      const [{ words, claim, actor: stated }] = parsed("tell", args);
      return await tell(words, claim, actingAs(stated, deps));
    }
    case "raiseBudget": {
      const [{ agent, ...order }] = parsed("raiseBudget", args);
      const { actor } = actingAs(order.actor, deps);
      return await board.raiseBudget({ ...order, ...(agent !== undefined && { agent }), actor });
    }
    case "raisePeriod": {
      const [order] = parsed("raisePeriod", args);
      const { actor } = actingAs(order.actor, deps);
      return await board.raisePeriod({ ...order, actor });
    }
    case "recordVerdict": {
      const [verdict] = parsed("recordVerdict", args);
      return await recordVerdict(verdict, actingAs(verdict.actor, deps));
    }
    case "logEvent": {
      const [draft, stated] = parsed("logEvent", args);
      return await board.logEvent(await requestOf(draft, deps), actingAs(stated, deps).actor);
    }
    default: {
      const method = board[name] as (...args: unknown[]) => Promise<unknown>;
      return await method.apply(board, parsed(name, args) as unknown[]);
    }
  }
}

/** Only the name of an assistant counts in the stated actor, which acts for the caller. */
function actingAs(stated: Actor, deps: CallDeps): CallDeps {
  const assistant = assistantIn(stated, deps.actor);
  return assistant === undefined ? deps : { ...deps, actor: actorBy(deps.actor, assistant) };
}

type GivenVerdict = Pick<
  Parameters<PersonBlackboard["recordVerdict"]>[0],
  "grant" | "review" | "digest"
>;

/**
 * Only the id, the artefact and the verdict of the given Review count: all else is made here, from
 * the record.
 */
async function recordVerdict(
  { grant, review, digest }: GivenVerdict,
  { board, actor, suggest }: CallDeps,
): Promise<unknown> {
  const [artefact] = review.source_artefacts;
  const verdict = Payload.safeParse(parseJson(review.payload)).data;
  if (artefact === undefined || verdict === undefined) throw wrong("a verdict of a person");
  const judged = await findJudged(board, artefact, { speaker: grant.agent, actor, suggest });
  // The digest of what the person has seen: where the content is another one, the blackboard
  // refuses.
  await judge(
    board,
    { ...judged, digest },
    {
      approves: verdict.reason === undefined,
      reason: verdict.reason ?? commentOf(review),
      ...{ actor, suggest, id: review.id, sign: signedAs(review) },
    },
  );
  return { outcome: "recorded" };
}

function commentOf({ metadata: { comment } }: Artefact): string | undefined {
  return typeof comment === "string" && comment.trim() !== ""
    ? checkedText(comment, textKinds.comment)
    : undefined;
}

/**
 * Only the id, the text, the commit and the name of an assistant count in a goal that was made
 * elsewhere.
 */
async function postGoal(
  goal: Artefact,
  { board, actor, postGoal: post }: CallDeps,
): Promise<unknown> {
  const { commit } = goal.metadata;
  const isGoal = goal.type === goalType && goal.structural_type === "Standard";
  if (!isGoal || goal.produced_by_agent !== "" || commit === undefined)
    throw wrong("a goal of a person");
  const isKnown = (await board.readArtefact(goal.id)) !== undefined;
  const sign = signedAs(goal);
  await post({ text: goal.payload, id: goal.goal_id, commit, actor, sign, ...marksOf(goal) });
  return { outcome: isKnown ? "exists" : "created" };
}

/**
 * Only the id, the type, the content, the sources and the name of an assistant count. The first
 * source of a later version is the one that it replaces.
 */
async function postOwn(
  artefact: Artefact,
  { board, actor, postArtefact: post }: CallDeps,
): Promise<unknown> {
  const { id, type, payload, version, source_artefacts, metadata } = artefact;
  if (artefact.structural_type !== "Standard" || artefact.produced_by_agent !== "")
    throw wrong("an artefact of a person");
  const [replaced, ...others] = source_artefacts;
  const isVersion = version > 1;
  const isKnown = (await board.readArtefact(id)) !== undefined;
  await post({
    type,
    content:
      metadata.commit === undefined
        ? { text: checkedText(payload, textKinds.content) }
        : { commit: metadata.commit },
    from: isVersion ? others : source_artefacts,
    versionOf: isVersion ? replaced : undefined,
    actor,
    id,
    ...marksOf(artefact),
  });
  return { outcome: isKnown ? "exists" : "created" };
}

/** Only the id, the question, the text and the name of an assistant count in an answer. */
async function answerQuestion(
  answer: Artefact,
  { board, actor, may, suggest }: CallDeps,
): Promise<unknown> {
  const [id] = answer.source_artefacts;
  const question = id === undefined ? undefined : await board.readArtefact(id);
  if (question?.structural_type !== "Question") throw wrong("an answer to a question");
  const result = await postAnswer(board, question, answer.payload, {
    ...{ actor, suggest, may, id: answer.id, sign: signedAs(answer) },
    ...marksOf(answer),
  });
  return result.outcome === "answered"
    ? { outcome: "answered" }
    : { outcome: "refused", reason: result.why };
}

/** Only the id, the goal, the text and the name of an assistant count. */
async function tell(
  words: Artefact,
  claim: ClaimId | undefined,
  { board, actor, suggest }: CallDeps,
): Promise<unknown> {
  const isGoal = (await board.readGoal(words.goal_id)).artefacts > 0;
  if (!isGoal || words.type !== remarkType) throw wrong("what a person says to a goal");
  const { claims } = await postRemark(
    board,
    { goal: words.goal_id, claim },
    { text: words.payload, actor, suggest, id: words.id, ...marksOf(words) },
  );
  return { outcome: "stored", claims };
}

function marksOf({ metadata: { by_assistant } }: Artefact): { marks?: Marks } {
  return typeof by_assistant === "string"
    ? { marks: { by_assistant: oneLine(by_assistant).slice(0, maxNameLength) } }
    : {};
}

/** The person has signed elsewhere, and it is about the same record, but for its time. */
function signedAs({ metadata: { statement, signature } }: Artefact): Sign | undefined {
  if (typeof statement !== "string" || typeof signature !== "string") return undefined;
  return async () => ({ statement, signature });
}

/** A request about a goal, or a Failure, that is there. */
async function requestOf(
  { type, goal_id, artefact_id }: EventDraft,
  { board }: CallDeps,
): Promise<EventDraft> {
  const isPause = type === "pause_requested" || type === "resume_requested";
  if (isPause && goal_id === undefined) return { type };
  const isGoal = goal_id !== undefined && (await board.readGoal(goal_id)).artefacts > 0;
  if (!isGoal) throw wrong("a request about a goal that is there");
  if (isPause || type === "cancel_requested") return { type, goal_id };
  const failure = artefact_id && (await board.readArtefact(artefact_id));
  if (failure?.structural_type !== "Failure" || failure.goal_id !== goal_id)
    throw wrong("a request about a Failure of its goal");
  return { type, goal_id, artefact_id: failure.id };
}

function parsed<Name extends RemoteCallName>(name: Name, args: unknown) {
  const result = remoteCalls[name].args.safeParse(args);
  if (result.success) return result.data as (typeof remoteCalls)[Name]["args"]["_output"];
  const problems = result.error.issues
    .slice(0, 3)
    .map((issue) => `${placeOf(issue.path)} ${issueSentence(issue)}`);
  throw new SettError("usage", `The arguments of ${name} are wrong: ${problems.join("; ")}.`, {
    hint: "Do the command line and the API have the same version?",
  });
}

/** Arguments have no names: the first one is number 1. */
function placeOf([index, ...rest]: readonly PropertyKey[]): string {
  if (typeof index !== "number") return "the list of them";
  const name = rest.map(String).join(".");
  return `number ${index + 1}${name === "" ? "" : `, \`${shorten(oneLine(name), 60)}\`,`}`;
}

function wrong(expected: string): SettError {
  return new SettError("usage", `Only ${expected} can be stored with this call.`);
}
