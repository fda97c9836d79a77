// Decides again all that the log of an instance, or of an archive, says was decided, and compares
// the claims, as they are stored, with those to which the log leads, and artefacts, calls, ends of
// goals, answers, remarks, budgets and lanes with what their events name.
import { createHash } from "node:crypto";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { eventPages } from "../../../lib/client/facts/event-pages.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { FactDigest } from "../../../lib/model/fact.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { basisIn } from "../../../lib/replay/decision-on-record.ts";
import { Replay, type Replayed } from "../../../lib/replay/replay.ts";
import { type Overwritten, overwrittenIn } from "../../../lib/replay/state-by-log.ts";
import { digestOfRecord, recordDigests } from "../archive/record-digests.ts";
import { LanesByLog } from "./compare-lanes.ts";
import { type Contradiction, compareRecord, type DigestsOf, NamedByLog } from "./compare-record.ts";
import { RemarksByLog } from "./compare-remarks.ts";
import { SpendingByLog } from "./compare-spending.ts";
import { compareState, StateByLog, stateOnRecord } from "./compare-state.ts";

/**
 * `overwritten`: claims that are not what their events have made of them. `contradictions`: of
 * artefacts, calls of models, goals, their budgets, questions, remarks and lanes.
 */
export type Audited = Replayed & { overwritten: Overwritten[]; contradictions: Contradiction[] };

type Board = Pick<
  ReadingBoard,
  | "endOfEvents"
  | "readEvents"
  | "readFacts"
  | "readClaims"
  | "readRecord"
  | "readCalls"
  | "readHeads"
  | "readOutput"
  | "readGoal"
  | "answersOf"
>;

/** An archive has no sums of budgets and no lanes. */
type LiveBoard = Pick<
  PersonBlackboard,
  "readSpending" | "readToolCharges" | "readHeads" | "listLanes" | "listArchives"
>;

const claimsAtOnce = 100;
/** So often the log may have moved on until what is read now is left out. */
const maxLooks = 20;

/** `archive`: the file that the board is of, if it is of one; `live`: the same board otherwise. */
type Place = { archive?: string | undefined; live?: LiveBoard | undefined };

/** Up to the end that the log has now. A fact that was written over counts as missing. */
export async function replayLog(board: Board, { archive, live }: Place = {}): Promise<Audited> {
  const facts = new Map<FactDigest, string>();
  const replay = new Replay(facts);
  const named = new NamedByLog();
  const stateByLog = new StateByLog();
  const [spending, remarks, lanes] = [new SpendingByLog(), new RemarksByLog(), new LanesByLog()];
  const readers = [replay, named, stateByLog, spending, remarks, lanes];
  let last = "0";
  const readOn = async () => {
    const end = await board.endOfEvents();
    for await (const page of eventPages(board, end, last)) {
      await addFacts(board, page, facts);
      for (const event of page) for (const reader of readers) reader.add(event);
    }
    last = end;
  };
  await readOn();
  const before = await stateByLog.state(board);
  const state = await stateOnRecord(board, before);
  await readOn();
  const overwritten = await findOverwritten(board, replay, readOn);
  const digestsOf = archive === undefined ? digestsOn(board) : await digestsInFile(archive, named);
  const contradictions = [
    ...compareState(state, { before, after: await stateByLog.state(board) }),
    ...(await compareRecord(board, named, digestsOf)),
    ...(await seenTwice(readOn, async () => [
      ...(await remarks.contradictions(board)),
      ...(live === undefined ? [] : await spending.contradictions(live)),
    ])),
  ];
  const ofLanes =
    live === undefined ? [] : await seenTwice(readOn, () => lanes.contradictions(live));
  const ids = [...overwritten.map(({ claim }) => claim), ...contradictions.map(({ what }) => what)];
  const still = await stillNamed(board, new Set(ids));
  return {
    ...replay.end(),
    overwritten: overwritten.filter(({ claim }) => still.has(claim)),
    contradictions: [...contradictions.filter(({ what }) => still.has(what)), ...ofLanes],
  };
}

/**
 * A sum changes in one step with its event: what is so again after the log was read on does not
 * come of an event in between.
 */
async function seenTwice(
  readOn: () => Promise<void>,
  look: () => Promise<Contradiction[]>,
): Promise<Contradiction[]> {
  const before = (await look()).map((one) => JSON.stringify(one));
  if (before.length === 0) return [];
  await readOn();
  return (await look()).filter((one) => before.includes(JSON.stringify(one)));
}

/**
 * Returns which of these ids the log names now. `sett prune` removes events of a goal before its
 * record, so that what it has moved into an archive meanwhile contradicts nothing.
 */
async function stillNamed(board: Board, ids: ReadonlySet<string>): Promise<Set<string>> {
  const named = new Set<string>();
  if (ids.size === 0) return named;
  for await (const page of eventPages(board, await board.endOfEvents()))
    for (const { type, claim_id, artefact_id, data = {} } of page) {
      if (type === "claim_opened") named.add(String(claim_id));
      if (type === "artefact_created") named.add(String(artefact_id));
      if (type === "model_called") named.add(String(data.call));
    }
  return named.intersection(ids);
}

function digestsOn(board: Board): DigestsOf {
  const digestOf = async (id: ArtefactId): Promise<[ArtefactId, string][]> => {
    const record = await board.readRecord(id);
    return record === undefined ? [] : [[id, digestOfRecord(record)]];
  };
  return async (ids) => new Map((await Promise.all(ids.map(digestOf))).flat());
}

/** The log of the file need not say what was erased in it: the instance's log does. */
async function digestsInFile(path: string, named: NamedByLog): Promise<DigestsOf> {
  const { digests, erased } = await recordDigests(path);
  for (const id of erased) named.noteErased(id);
  return async () => digests;
}

/**
 * A claim changes in one step with its events: one that differs is not overwritten where the log
 * had gone on before it was read.
 */
async function findOverwritten(
  board: Board,
  replay: Replay,
  readOn: () => Promise<void>,
): Promise<Overwritten[]> {
  const found: Overwritten[] = [];
  let suspects = await compared(board, replay.claims());
  for (let looks = 0; suspects.length > 0 && looks < maxLooks; looks++) {
    await readOn();
    const claims = new Map(replay.claims().map((one) => [String(one.claim.id), one]));
    const moved = suspects.flatMap((suspect) => {
      const now = claims.get(suspect.claim);
      if (now === undefined) return [];
      if (overwrittenIn(now, undefined)?.log !== suspect.log) return [now];
      found.push(suspect);
      return [];
    });
    suspects = await compared(board, moved);
  }
  return found;
}

async function compared(board: Board, byLog: readonly ClaimSnapshot[]): Promise<Overwritten[]> {
  const found: Overwritten[] = [];
  for (let at = 0; at < byLog.length; at += claimsAtOnce) {
    const some = byLog.slice(at, at + claimsAtOnce);
    const stored = await board.readClaims(
      some.map(({ claim }) => claim.id),
      () => undefined,
    );
    const byId = new Map(stored.map((one) => [one.claim.id, one]));
    found.push(...some.flatMap((one) => overwrittenIn(one, byId.get(one.claim.id)) ?? []));
  }
  return found;
}

async function addFacts(
  board: Board,
  page: readonly SettEvent[],
  facts: Map<FactDigest, string>,
): Promise<void> {
  for (const { goal, digests } of factsNamedIn(page)) {
    const missing = digests.filter((digest) => !facts.has(digest));
    if (missing.length === 0) continue;
    for (const [digest, text] of await board.readFacts(missing, goal))
      if (createHash("sha256").update(text).digest("hex") === digest) facts.set(digest, text);
  }
}

/** `goal`: of facts that are on record with it; undefined of those of all goals. */
type NamedFacts = { goal: GoalId | undefined; digests: FactDigest[] };

/** The facts that these events name. */
export function factsNamedIn(events: readonly SettEvent[]): NamedFacts[] {
  const ofAll = new Set<FactDigest>();
  const ofGoals = new Map<GoalId, Set<FactDigest>>();
  for (const event of events) {
    const { registry, policy, paths } = basisIn(event) ?? {};
    for (const digest of [registry, policy]) if (digest !== undefined) ofAll.add(digest);
    const goal = event.goal_id;
    if (paths === undefined || goal === undefined) continue;
    ofGoals.set(goal, (ofGoals.get(goal) ?? new Set()).add(paths));
  }
  return [
    { goal: undefined, digests: [...ofAll] },
    ...[...ofGoals].map(([goal, digests]) => ({ goal, digests: [...digests] })),
  ];
}
