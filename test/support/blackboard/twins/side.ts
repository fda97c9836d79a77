// Opens one of the two blackboards that are compared, and how a call is made on it.

import type { Blackboard, ClaimCommit } from "../../../../lib/blackboard/port/blackboard.ts";
import type { Mail } from "../../../../lib/blackboard/port/mail-port.ts";
import type { MalformedClaim } from "../../../../lib/model/claim.ts";
import { AgentName, type ClaimId } from "../../../../lib/model/ids.ts";
import type { Call, Hand, Handle, MethodName } from "./call.ts";
import { outcomeOf } from "./canonical.ts";

/** The whole state, by key without the instance's prefix. */
export type NormalState = Record<string, unknown>;

export type Side = {
  boards: readonly [Blackboard, Blackboard];
  hand: Hand;
  setClock(ms: number): Promise<unknown>;
  /**
   * The entries of the announcements, oldest first. One that announces no claim is passed over by
   * who follows them.
   */
  announcements(): Promise<{ id: string; isReadable: boolean }[]>;
  readState(): Promise<NormalState>;
};

export async function play(side: Side, one: Call): Promise<unknown> {
  if ("clock" in one) return void (await side.setClock(one.clock));
  if ("hand" in one)
    return outcomeOf(async () =>
      answerOfHand(await (side.hand[one.hand] as Anything)(...one.args)),
    );
  return outcomeOf(() => playMethod(side, one.by, one.method, one.args));
}

// The functions `call` and `byHand` have checked the arguments.
type Anything = (...args: readonly unknown[]) => Promise<unknown>;

/** Redis answers a command with a count or an id; only what is read is compared. */
function answerOfHand(answer: unknown): unknown {
  return typeof answer === "object" ? answer : undefined;
}

async function playMethod(
  side: Side,
  by: Handle,
  method: MethodName,
  args: readonly unknown[],
): Promise<unknown> {
  const board = side.boards[by];
  const special = specials[method];
  const value =
    special === undefined
      ? await (board[method] as Anything)(...args)
      : await special(side, board, args);
  return unordered.has(method) && Array.isArray(value) ? value.toSorted() : value;
}

/** Redis scans, and scans have no order. */
const unordered: ReadonlySet<MethodName> = new Set(["findArtefacts"] as const);

/** A follower that brings less than was expected of it brings no more. */
const maxFollowMs = 20_000;

type PlayMethod = (side: Side, board: Blackboard, args: readonly unknown[]) => Promise<unknown>;

const specials: Partial<Record<MethodName, PlayMethod>> = {
  /** A commit that was read on connection 1 is of the present one, whichever that is. */
  async commitClaim(_, board, [order]) {
    const commit = order as ClaimCommit;
    return board.commitClaim({
      ...commit,
      readOn: commit.readOn === 1 ? board.connectionNumber() : 0,
    });
  },

  async readClaims(_, board, [ids]) {
    const malformed: MalformedClaim[] = [];
    return {
      claims: await board.readClaims(ids as ClaimId[], (one) => malformed.push(one)),
      malformed,
    };
  },

  async keepWorkerLog(_, board, [agent, log]) {
    await board.keepWorkerLog(agent as AgentName, log as { worker: string; lines: string[] });
  },

  async readWorkerLogs(_, board, [agent, afterPlace]) {
    const all = await board.readWorkerLogs(agent as AgentName);
    const after = afterPlace === undefined ? undefined : all[afterPlace as number]?.id;
    const logs = await board.readWorkerLogs(
      agent as AgentName,
      ...(after === undefined ? [] : [after]),
    );
    return logs.map(({ worker, lines }) => ({ worker, lines }));
  },

  async endOfAnnouncements(side, board) {
    const end = await board.endOfAnnouncements();
    const entries = await side.announcements();
    const place = entries.findIndex(({ id }) => id === end);
    return entries.slice(0, place + 1).filter(({ isReadable }) => isReadable).length;
  },

  async followEvents(_, board, [from]) {
    const count = (await board.readEvents(from as string, 10_000)).length;
    return collect(count, (signal) => board.followEvents(from as string, signal));
  },

  async followAnnouncements(side, board, [fromPlace]) {
    const readable = (await side.announcements()).filter(({ isReadable }) => isReadable);
    const from = readable[fromPlace as number]?.id;
    const count =
      from === undefined ? readable.length : readable.length - 1 - (fromPlace as number);
    return collect(count, (signal) => board.followAnnouncements(from ?? "0", signal));
  },

  async followGrants(side, board, [agent]) {
    const count = batchesOfGrants(await side.readState(), agent as AgentName);
    return collect(count, (signal) => inBatches(board.followGrants(agent as AgentName, signal, 1)));
  },

  async followMail(side, board) {
    return (await mailIn(side, board)).map(({ place: _, ...mail }) => mail);
  },

  async answerMail(side, board, [agent, place, text]) {
    const sent = (await mailIn(side, board)).filter((mail) => mail.agent === agent);
    const none = { agent: agent as AgentName, place: "0-1", id: "none" };
    await board.answerMail(sent[place as number] ?? none, text as string | undefined);
  },

  async followMailAnswers(_, board, [given, texts]) {
    const agent = given as AgentName;
    const answer = async () => {
      for (const text of texts as string[])
        await board.answerMail({ agent, place: "0-1", id: "none" }, text);
    };
    return collect((texts as string[]).length, (signal) =>
      board.followMailAnswers(agent, signal, () => void answer()),
    );
  },

  async artefactHints(side, board, [ids]) {
    const wanted = (ids as string[]).length;
    // A subscriber misses what was published before it subscribed: it has when a first id arrives.
    const stop = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const batch of board.artefactHints(stop.signal)) seen.push(...batch);
    })();
    while (seen.length === 0) {
      await side.hand.publish("begin");
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    for (const id of ids as string[]) await side.hand.publish(id);
    while (seen.filter((id) => id !== "begin").length < wanted)
      await new Promise((resolve) => setTimeout(resolve, 1));
    stop.abort();
    await following;
    return seen.filter((id) => id !== "begin");
  },
};

/** Sorts by agent: between agents there is no order. */
async function mailIn(side: Side, board: Blackboard): Promise<Mail[]> {
  const state = await side.readState();
  const known = ["agents", "agents:senders"].flatMap((key) => namesIn(state[key]));
  const count = [...new Set(known)].reduce(
    (sum, name) => sum + listOf(state[`agent:${name}:out`]).length,
    0,
  );
  const mails = await collect(count, (signal) => board.followMail(signal, () => false));
  return mails.toSorted((one, other) => one.agent.localeCompare(other.agent));
}

function namesIn(fields: unknown): string[] {
  const names = fields instanceof Map ? fields.keys() : Object.keys((fields ?? {}) as object);
  return [...names].filter((name) => AgentName.safeParse(name).success);
}

/**
 * The first batch has what is queued, and wake-ups; the second is the reminder, which a paused
 * instance does not send.
 */
function batchesOfGrants(state: NormalState, agent: AgentName): number {
  const isQueued = (claim: string) =>
    textOf(state[`grants:${claim}`], agent).includes('"state":"queued"');
  const isPaused = textOf(state.orchestrator, "paused_since") !== "";
  const isReminded = !isPaused && listOf(state[`agent:${agent}:queued`]).some(isQueued);
  const isFirst =
    listOf(state[`agent:${agent}:grants`]).length > 0 ||
    listOf(state[`agent:${agent}:queued`]).some(isQueued);
  return Number(isFirst) + Number(isReminded);
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value : [];
}

function textOf(fields: unknown, name: string): string {
  const value =
    fields instanceof Map ? fields.get(name) : ((fields ?? {}) as Record<string, unknown>)[name];
  return typeof value === "string" ? value : "";
}

async function* inBatches<Batch>(all: AsyncIterable<Batch>): AsyncGenerator<Batch[]> {
  for await (const batch of all) yield [batch];
}

async function collect<Item>(
  count: number,
  follow: (signal: AbortSignal) => AsyncIterable<Item[]>,
): Promise<Item[]> {
  const seen: Item[] = [];
  if (count <= 0) return seen;
  const stop = new AbortController();
  for await (const batch of follow(
    AbortSignal.any([stop.signal, AbortSignal.timeout(maxFollowMs)]),
  )) {
    seen.push(...batch);
    if (seen.length >= count) break;
  }
  stop.abort();
  return seen;
}
