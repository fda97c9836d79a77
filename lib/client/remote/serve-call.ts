// Makes a call of the blackboard that came through the API: with arguments that are valid, and in the name of its caller alone.
import { z } from "zod";
import type { PersonBlackboard } from "../../blackboard/holders.ts";
import type { Right } from "../../model/api-access.ts";
import { type Artefact, goalType, userRole } from "../../model/artefact.ts";
import type { ClaimSnapshot, MalformedClaim } from "../../model/claim.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import type { CommitHash, GoalId } from "../../model/ids.ts";
import { findJudged, judge } from "../actions/judge.ts";
import type { Suggest } from "../text/suggest.ts";
import { type RemoteCallName, remoteCalls } from "./calls.ts";

export type ReadClaims = { claims: ClaimSnapshot[]; malformed: MalformedClaim[] };

/** `pin`: keeps the commit of a goal; throws where the API's repository does not have it. */
export type CallDeps = {
  board: PersonBlackboard;
  actor: Actor;
  suggest: Suggest;
  pin(goal: GoalId, commit: CommitHash): Promise<void>;
};

const Payload = z.strictObject({ reason: z.string().optional() });

export function rightOf(name: RemoteCallName): Right {
  return remoteCalls[name].right;
}

/** The value that the call returns. Throws `usage` for arguments that are not of its form. */
export async function serveCall(name: RemoteCallName, args: unknown, deps: CallDeps): Promise<unknown> {
  const { board, actor } = deps;
  switch (name) {
    case "readClaims": {
      const [ids] = parsed("readClaims", args);
      const malformed: MalformedClaim[] = [];
      const claims = await board.readClaims(ids, (one) => malformed.push(one));
      return { claims, malformed } satisfies ReadClaims;
    }
    case "createArtefact":
      return await postGoal(parsed("createArtefact", args)[0], deps);
    case "answerQuestion": {
      const [answer] = parsed("answerQuestion", args);
      if (answer.structural_type !== "Answer" || !isOfPerson(answer)) throw wrong("an answer of a person");
      return await board.answerQuestion(answer, actor);
    }
    case "raiseBudget": {
      const [{ agent, ...order }] = parsed("raiseBudget", args);
      return await board.raiseBudget({ ...order, ...(agent !== undefined && { agent }), actor });
    }
    case "recordVerdict":
      return await recordVerdict(parsed("recordVerdict", args)[0], deps);
    case "logEvent":
      return await board.logEvent(parsed("logEvent", args)[0], actor);
    default: {
      const method = board[name] as (...args: unknown[]) => Promise<unknown>;
      return await method.apply(board, parsed(name, args) as unknown[]);
    }
  }
}

type GivenVerdict = Pick<Parameters<PersonBlackboard["recordVerdict"]>[0], "grant" | "review" | "digest">;

/** Of the given Review only its id, its artefact and its verdict count: all else is made here, from the record. */
async function recordVerdict({ grant, review, digest }: GivenVerdict, { board, actor, suggest }: CallDeps): Promise<unknown> {
  const [artefact] = review.source_artefacts;
  const verdict = Payload.safeParse(jsonOf(review.payload)).data;
  if (artefact === undefined || verdict === undefined) throw wrong("a verdict of a person");
  const judged = await findJudged(board, artefact, grant.agent, suggest);
  // The digest of what the person has seen: where the content is another one, the blackboard refuses.
  await judge(board, { ...judged, digest }, { feedback: verdict.reason, actor, suggest, id: review.id });
  return { outcome: "recorded" };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function postGoal(goal: Artefact, { board, actor, pin }: CallDeps): Promise<unknown> {
  const { commit } = goal.metadata;
  const isGoal = goal.type === goalType && goal.structural_type === "Standard" && String(goal.id) === String(goal.goal_id);
  if (!isGoal || !isOfPerson(goal) || goal.version !== 1 || commit === undefined) throw wrong("a goal of a person");
  // The goal may have been posted before: then its commit stays as it is.
  if ((await board.readArtefact(goal.id)) === undefined) await pin(goal.goal_id, commit);
  return await board.createArtefact(goal, actor);
}

function isOfPerson({ produced_by_role, produced_by_agent, claim_id }: Artefact): boolean {
  return produced_by_role === userRole && produced_by_agent === "" && claim_id === "";
}

function parsed<Name extends RemoteCallName>(name: Name, args: unknown) {
  const result = remoteCalls[name].args.safeParse(args);
  if (result.success) return result.data as (typeof remoteCalls)[Name]["args"]["_output"];
  const [first] = result.error.issues;
  throw new SettError("usage", `The arguments of ${name} are malformed: ${first?.path.join(".") ?? ""} ${first?.message ?? ""}`, {
    hint: "Do the command line and the API have the same version?",
  });
}

function wrong(expected: string): SettError {
  return new SettError("usage", `Only ${expected} can be stored with this call.`);
}
