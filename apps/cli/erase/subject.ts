// Finds what `sett erase` is about: the artefacts, what is kept beside them, and the work that has
// got them.
import { readHeads } from "../../../lib/client/facts/artefacts.ts";
import { readReadable } from "../../../lib/client/facts/checked.ts";
import { forwards, goalList } from "../../../lib/client/facts/pages.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { notFound, resolveArtefactId } from "../../../lib/client/facts/resolve-id.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { callsByArtefact } from "../../../lib/core/call-costs.ts";
import { type ArtefactHead, erasureIn } from "../../../lib/model/artefact.ts";
import type { ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import {
  type AgentName,
  ArtefactId,
  type ClaimId,
  type CommitHash,
  type GoalId,
} from "../../../lib/model/ids.ts";
import type { CallRecord } from "../../../lib/model/model-call.ts";

export type KeptBody = { goal: GoalId; digest: string };
/** The digests of what is kept outside of the blackboard. */
export type Kept = { bodies: string[]; outputs: KeptBody[] };
export type Delivered = { artefact: ArtefactId; commit: CommitHash };

/** Work that has got what is erased: its transcript and what it has printed may quote it. */
export type Quote = { claim: ClaimId; agent: AgentName; results: ArtefactId[]; kept: Kept };

/**
 * `isGoal`: all artefacts of the goal. `commits`: those that they have delivered, also those of
 * which an earlier run has erased the record. `made`: artefacts of other work that name one of them
 * as a source. `forks`: goals that were begun from one of them.
 */
export type Subject = {
  goal: GoalId;
  isGoal: boolean;
  heads: ArtefactHead[];
  kept: Kept;
  commits: Delivered[];
  quotes: Quote[];
  made: ArtefactHead[];
  forks: GoalId[];
};

type Board = ReadingBoard;

/** The id of a goal means all of it. Throws `artefact-not-found`, and as `resolveArtefactId`. */
export async function findSubject(board: Board, text: string, suggest: Suggest): Promise<Subject> {
  const id = await resolveArtefactId(board, text, suggest);
  const [subject] = await readHeads(board, [id]);
  if (subject === undefined) throw notFound(text, "artefact", suggest);
  const goal = subject.goal_id;
  const isGoal = String(id) === String(goal);
  const ofGoal = await readHeads(board, await board.listArtefactsOfGoal(goal));
  const heads = isGoal ? ofGoal : [subject];
  const ids = new Set(heads.map((head) => head.id));
  const { ended: calls } = await board.readCalls(goal);
  const claims = await claimsAbout(board, ofGoal);
  const own = callsByArtefact(ofGoal, calls);
  const ownCalls = isGoal ? calls : (own.get(id) ?? []);
  return {
    ...{ goal, isGoal, heads },
    kept: { bodies: bodiesOf(ownCalls), outputs: await outputsOf(board, heads) },
    commits: heads.flatMap(deliveredBy),
    quotes: isGoal ? [] : await quotesIn(board, { claims, calls, ids, goal, except: ownCalls }),
    made: ofGoal.filter(
      (head) => !ids.has(head.id) && head.source_artefacts.some((source) => ids.has(source)),
    ),
    forks: await forksOf(board, ids, goal),
  };
}

function deliveredBy({ id, goal_id, logical_id, metadata }: ArtefactHead): Delivered[] {
  const commit = metadata.commit ?? erasureIn(metadata)?.commit;
  // A goal begins at the commit of a person.
  const isResult = String(logical_id) !== String(goal_id);
  return commit === undefined || !isResult ? [] : [{ artefact: id, commit }];
}

async function claimsAbout(board: Board, heads: readonly ArtefactHead[]): Promise<ClaimSnapshot[]> {
  const found = await Promise.all(heads.map(({ id }) => board.claimsOfArtefact(id)));
  return await board.readClaims(found.flatMap((claims) => [...claims.values()]));
}

type Search = {
  claims: readonly ClaimSnapshot[];
  calls: readonly CallRecord[];
  ids: ReadonlySet<ArtefactId>;
  goal: GoalId;
  /** Calls that led to what is erased. */
  except: readonly CallRecord[];
};

async function quotesIn(
  board: Board,
  { claims, calls, ids, goal, except }: Search,
): Promise<Quote[]> {
  const quotes: Quote[] = [];
  for (const { claim, grants } of claims)
    for (const grant of grants) {
      const inputs = [claim.artefact_id, ...claim.additional_context_ids, ...inputsOf(grant)];
      if (!inputs.some((id) => ids.has(id))) continue;
      const ofGrant = calls.filter(
        (call) => call.claim_id === claim.id && call.agent === grant.agent,
      );
      const made = "artefact_ids" in grant ? grant.artefact_ids : [];
      const results = made.filter((id) => !ids.has(id));
      const outputs = await outputsOf(
        board,
        results.map((id) => ({ id, goal_id: goal })),
      );
      const bodies = bodiesOf(ofGrant.filter((call) => !except.includes(call)));
      quotes.push({ claim: claim.id, agent: grant.agent, results, kept: { bodies, outputs } });
    }
  return quotes;
}

function inputsOf(grant: Grant): readonly ArtefactId[] {
  return "context_ids" in grant ? grant.context_ids : [];
}

function bodiesOf(calls: readonly CallRecord[]): string[] {
  const digests = calls.flatMap(({ request, answer }) => [request?.digest, answer?.digest]);
  return [...new Set(digests.filter((digest) => digest !== undefined))];
}

async function outputsOf(
  board: Board,
  heads: readonly Pick<ArtefactHead, "id" | "goal_id">[],
): Promise<KeptBody[]> {
  const outputs = await Promise.all(
    heads.map(async ({ id, goal_id: goal }) => {
      const { stdout, stderr } = (await board.readOutput(id)) ?? {};
      return [stdout, stderr].flatMap((stream) =>
        stream ? [{ goal, digest: stream.digest }] : [],
      );
    }),
  );
  return outputs.flat();
}

/** A goal has the id of its first artefact. */
const artefactOf = (goal: GoalId) => ArtefactId.parse(goal);

async function forksOf(
  board: Board,
  ids: ReadonlySet<ArtefactId>,
  goal: GoalId,
): Promise<GoalId[]> {
  const forks: GoalId[] = [];
  for await (const goals of forwards(goalList(board), 0))
    for (const head of await readReadable(board, goals.map(artefactOf)))
      if (head.goal_id !== goal && head.source_artefacts.some((source) => ids.has(source)))
        forks.push(head.goal_id);
  return forks;
}
