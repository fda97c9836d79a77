// Turns the claims of a goal into a timeline: a row for each agent, with its grants by the clock,
// and how long each waited for its turn and for its agent. Pure.
import type { Grant, GraphClaim } from "../data/contract.ts";
import type { ArtefactNode } from "../data/goal-graph.ts";
import { grantLook, type Look, revertLook } from "./look.ts";
import { isOpen } from "./pending.ts";

/**
 * Times are Unix ms. `asked`: when the claim opened, on which the agent has bid; undefined of a
 * later attempt. `queued`: granted; undefined of a bid that has no grant yet. `started`, `ended`:
 * undefined until then. `made`: artefacts. `isPerson`: a person takes the time, and no machine.
 */
export type Span = {
  id: string;
  agent: string;
  claim: string;
  target: ArtefactNode;
  phase: string;
  attempt: number;
  look: Look;
  asked: number | undefined;
  queued: number | undefined;
  started: number | undefined;
  ended: number | undefined;
  made: readonly string[];
  isPerson: boolean;
};

/** `tracks`: spans that do not overlap are side by side in one. */
export type TimelineRow = { agent: string; tracks: Span[][] };

/** The agents in the order in which they were first granted work. */
export function timelineOf(nodes: readonly ArtefactNode[]): TimelineRow[] {
  const byAgent = new Map<string, Span[]>();
  const byId = new Map(nodes.map((node) => [String(node.id), node]));
  const spans = nodes.flatMap((node) => spansOf(node, byId));
  for (const span of spans.sort((one, other) => startOf(one) - startOf(other))) {
    const before = byAgent.get(span.agent);
    if (before === undefined) byAgent.set(span.agent, [span]);
    else before.push(span);
  }
  return [...byAgent].map(([agent, spans]) => ({ agent, tracks: tracksOf(spans) }));
}

/** The time at which its bar begins. */
export function startOf({ asked, queued }: Pick<Span, "asked" | "queued">): number {
  return queued ?? asked ?? 0;
}

type Nodes = ReadonlyMap<string, ArtefactNode>;

function spansOf(node: ArtefactNode, byId: Nodes): Span[] {
  return node.claims.flatMap((claim) => [
    ...claim.grants.map((grant) => spanOf(node, claim, { grant, byId })),
    ...bidsWithoutGrant(node, claim),
  ]);
}

function spanOf(
  target: ArtefactNode,
  claim: GraphClaim,
  { grant, byId }: { grant: Grant; byId: Nodes },
): Span {
  const { agent, phase, attempt } = grant;
  const made: string[] = "artefact_ids" in grant ? grant.artefact_ids : [];
  const isPerson =
    (grant.state === "waiting" || grant.state === "done") && grant.run_id === undefined;
  return {
    ...{ id: `${claim.id} ${phase} ${agent}`, agent, claim: claim.id, target, phase, attempt },
    look: made.map((id) => revertOf(byId.get(id))).find(Boolean) ?? grantLook(grant),
    asked: attempt === 1 ? Date.parse(claim.created_at) : undefined,
    queued: Date.parse(grant.queued_at),
    started: "started_at" in grant ? Date.parse(grant.started_at) : undefined,
    ended: "ended_at" in grant ? Date.parse(grant.ended_at) : undefined,
    made,
    isPerson,
  };
}

function revertOf(made: ArtefactNode | undefined): Look | undefined {
  return made && revertLook(made);
}

/** Agents that have bid on an open claim, and whose turn has not come. */
function bidsWithoutGrant(target: ArtefactNode, claim: GraphClaim): Span[] {
  if (!isOpen(claim)) return [];
  const granted = new Set(claim.grants.map(({ agent }) => String(agent)));
  return claim.bids
    .filter(({ agent, word }) => word !== "ignore" && !granted.has(agent))
    .map(({ agent, word }) => ({
      ...{ id: `${claim.id} bid ${agent}`, agent, claim: claim.id, target },
      ...{ phase: word === "claim" ? "parallel" : word, attempt: 1, look: bidLook },
      ...{ asked: Date.parse(claim.created_at), queued: undefined, started: undefined },
      ...{ ended: undefined, made: [], isPerson: false },
    }));
}

const bidLook: Look = { tone: "wait", symbol: "⋯", word: "has bid, and waits for its turn" };

/** All bids that wait are in one track: a claim that waits takes no room of its own. */
function tracksOf(spans: readonly Span[]): Span[][] {
  const tracks: { spans: Span[]; end: number }[] = [];
  const bids: Span[] = [];
  for (const span of spans) {
    if (span.queued === undefined) {
      bids.push(span);
      continue;
    }
    const end = span.ended ?? Number.POSITIVE_INFINITY;
    const free = tracks.find((track) => track.end <= startOf(span));
    if (free === undefined) tracks.push({ spans: [span], end });
    else {
      free.spans.push(span);
      free.end = end;
    }
  }
  return [...tracks.map((track) => track.spans), ...(bids.length === 0 ? [] : [bids])];
}

/**
 * `at`: the place of a time, from 0 to 1. `cuts`: where a long time without work is drawn short.
 */
export type Scale = {
  at: (ms: number) => number;
  cuts: { at: number; width: number; ms: number }[];
  ticks: { at: number; ms: number }[];
};

type Piece = { from: number; to: number; at: number; width: number; isCut: boolean };

/** A time without work that is longer than this part of all work is drawn as long as that part. */
const longPart = 0.2;
const minLongMs = 10_000;

/** `ticks`: at most so many. Their times count from the beginning. */
export function scaleOf(rows: readonly TimelineRow[], nowMs: number, ticks: number): Scale {
  const spans = rows.flatMap(({ tracks }) => tracks.flat());
  const begin = spans.reduce((ms, span) => Math.min(ms, span.asked ?? startOf(span)), nowMs);
  const isAtWork = spans.some(({ ended }) => ended === undefined);
  const last = spans.reduce((latest, { ended = 0 }) => Math.max(latest, ended), begin);
  const end = Math.max(begin + 1_000, isAtWork ? nowMs : last);
  const pieces = piecesOf(busyTimes(spans, nowMs), begin, end);
  const at = (ms: number) => {
    const piece = pieces.find(({ to }) => ms <= to) ?? pieces.at(-1);
    if (piece === undefined) return 0;
    const part = (ms - piece.from) / Math.max(1, piece.to - piece.from);
    return piece.at + piece.width * Math.max(0, Math.min(1, part));
  };
  return {
    at,
    cuts: pieces
      .filter(({ isCut }) => isCut)
      .map(({ from, to, ...piece }) => ({ at: piece.at, width: piece.width, ms: to - from })),
    ticks: ticksOf(pieces, begin, at, ticks),
  };
}

/** The times at which a machine works, from first to last, none of which overlap. */
function busyTimes(spans: readonly Span[], nowMs: number): [number, number][] {
  const times = spans
    .filter(({ started, isPerson }) => started !== undefined && !isPerson)
    .map(({ started = 0, ended = nowMs }): [number, number] => [started, ended])
    .sort(([one], [other]) => one - other);
  const joined: [number, number][] = [];
  for (const [from, to] of times) {
    const before = joined.at(-1);
    if (before !== undefined && from <= before[1]) before[1] = Math.max(before[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

function piecesOf(busy: readonly [number, number][], begin: number, end: number): Piece[] {
  const work = busy.reduce((sum, [from, to]) => sum + to - from, 0);
  const long = Math.max(minLongMs, longPart * work);
  const cuts: [number, number][] = [];
  let free = begin;
  for (const [from, to] of [...busy, [end, end] as const]) {
    if (from - free > long) cuts.push([free, from]);
    free = Math.max(free, to);
  }
  const parts: { from: number; to: number; length: number; isCut: boolean }[] = [];
  let at = begin;
  for (const [from, to] of cuts) {
    if (from > at) parts.push({ from: at, to: from, length: from - at, isCut: false });
    parts.push({ from, to, length: long / 2, isCut: true });
    at = to;
  }
  if (end > at) parts.push({ from: at, to: end, length: end - at, isCut: false });
  const whole = parts.reduce((sum, { length }) => sum + length, 0);
  let place = 0;
  return parts.map(({ length, ...part }) => {
    const piece = { ...part, at: place, width: length / whole };
    place += piece.width;
    return piece;
  });
}

const stepsS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 86_400];

function ticksOf(
  pieces: readonly Piece[],
  begin: number,
  at: (ms: number) => number,
  most: number,
): Scale["ticks"] {
  const drawn = pieces.filter(({ isCut }) => !isCut);
  const length = drawn.reduce((sum, { from, to }) => sum + to - from, 0);
  const stepMs = 1_000 * (stepsS.find((step) => length / (1_000 * step) <= most) ?? 604_800);
  const found: Scale["ticks"] = [];
  for (const { from, to } of drawn) {
    const first = Math.ceil((from - begin) / stepMs);
    for (let each = first; begin + each * stepMs <= to && found.length < 4 * most; each++) {
      const tick = { at: at(begin + each * stepMs), ms: each * stepMs };
      if (tick.at - (found.at(-1)?.at ?? -1) >= 0.6 / most) found.push(tick);
    }
  }
  return found;
}
