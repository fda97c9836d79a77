// Bids, and what is granted on them.
import type { SettEvent } from "../../../lib/model/event.ts";
import { bidsOf, reviewsAfterOf } from "../../../lib/model/recorded-bids.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { allTriesOf, type ClaimLog, claimLogsOf, ofType } from "./claim-log.ts";

export const bidRules: Rules = [
  ["lost", everyBidStaysOnRecord],
  ["lost", everyElectorIsHeard],
  ["duplicated", noAgentBidsTwice],
  ["wrong", bidsAreRecordedAsTheLogSays],
  ["wrong", grantsGoToThoseWhoBidForThem],
  ["wrong", reviewersAreAskedInTheirTurn],
  ["wrong", theFirstIdleOfEqualBidsWins],
  ["wrong", grantsMoveToIdleAgentsOnly],
];

const wordOfPhase: Record<string, string> = {
  review: "review",
  parallel: "claim",
  exclusive: "exclusive",
};

const bidsIn = (events: readonly SettEvent[]) => events.flatMap(bidsOf);

function* everyBidStaysOnRecord(history: History) {
  for (const claimLog of claimLogsOf(history)) {
    const { claim } = claimLog;
    for (const { agent, word } of bidsIn(allTriesOf(claimLog))) {
      const recorded = claim.bids.find((bid) => bid.agent === agent)?.word;
      if (recorded !== word)
        yield `${agent} bid ${word} on claim ${claim.id}, and ${recorded ?? "nothing"} is on record.`;
    }
  }
}

function* everyElectorIsHeard(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    if (ofType(events, "bidding_closed").length === 0) continue;
    for (const agent of claim.electorate)
      if (!claim.bids.some((bid) => bid.agent === agent))
        yield `The bidding on claim ${claim.id} closed without a bid of ${agent}.`;
  }
}

function* noAgentBidsTwice(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    const bidsByAgent = Map.groupBy(bidsIn(events), ({ agent }) => agent);
    for (const [agent, { length }] of bidsByAgent)
      if (length > 1) yield `The log tells of ${length} bids of ${agent} on claim ${claim.id}.`;
    const agents = claim.bids.map((bid) => bid.agent);
    if (new Set(agents).size < agents.length)
      yield `An agent is twice among the bids of claim ${claim.id}: ${agents.join(", ")}.`;
  }
}

function* bidsAreRecordedAsTheLogSays(history: History) {
  for (const claimLog of claimLogsOf(history)) {
    const { claim } = claimLog;
    const logged = bidsIn(allTriesOf(claimLog)).map(({ agent, word }) => `${agent} ${word}`);
    const recorded = claim.bids.map(({ agent, word }) => `${agent} ${word}`);
    const shown = Object.entries(claim.bidHash).map(([agent, word]) => `${agent} ${word}`);
    if (logged.join() !== recorded.join())
      yield `Claim ${claim.id} has the bids ${recorded.join(", ")}; by the log: ${logged.join(", ")}.`;
    if (recorded.toSorted().join() !== shown.toSorted().join())
      yield `The hash of claim ${claim.id} shows the bids ${shown.join(", ")}; on record: ${recorded.join(", ")}.`;
    const stranger = claim.bids.find(({ agent }) => !claim.electorate.includes(agent));
    if (stranger !== undefined)
      yield `${stranger.agent} has a bid on claim ${claim.id} and is not among those who bid.`;
  }
}

function* grantsGoToThoseWhoBidForThem(history: History) {
  for (const claimLog of claimLogsOf(history)) {
    const { claim } = claimLog;
    const granted = ofType(allTriesOf(claimLog), "grant_queued", "grant_waiting");
    // Whom a question goes to, and who may stand in for whom, is for rules of their own.
    if (claim.kind === "clarification" || claim.stand_in !== undefined) continue;
    if (claim.kind !== "standard" && claim.kind !== "retry") {
      const producer = history.artefacts.get(claim.artefact_id)?.produced_by_agent;
      for (const { agent, data } of granted)
        if (agent !== producer || data?.phase !== "exclusive")
          yield `The ${claim.kind} ${claim.id} was granted to ${agent}, not to ${producer}.`;
      continue;
    }
    for (const [phase, grants] of Map.groupBy(granted, ({ data }) => String(data?.phase))) {
      const word = wordOfPhase[phase];
      const bidders = claim.bids.filter((bid) => bid.word === word).map((bid) => String(bid.agent));
      const agents = new Set(grants.map(({ agent }) => String(agent)));
      const mayBeUnasked = phase === "review" ? unaskedIn(claimLog) : new Set();
      for (const agent of agents)
        if (!bidders.includes(agent))
          yield `${agent} was granted claim ${claim.id} for ${phase} without having bid ${word}.`;
      for (const agent of bidders)
        if (phase !== "exclusive" && !agents.has(agent) && !mayBeUnasked.has(agent))
          yield `${agent} bid ${word} on claim ${claim.id} and was left out.`;
    }
  }
}

/** Reviewers behind others, of a claim that has not come to its next phase. */
function unaskedIn(claimLog: ClaimLog): Set<string> {
  const events = allTriesOf(claimLog);
  const isReviewed =
    claimLog.claim.status === "complete" ||
    ofType(events, "grant_queued").some(({ data }) => data?.phase !== "review");
  return new Set(isReviewed ? [] : events.flatMap(reviewsAfterOf).map(({ agent }) => agent));
}

/** The closing of the bidding alone says whom a reviewer waits for. */
function* reviewersAreAskedInTheirTurn(history: History) {
  for (const claimLog of claimLogsOf(history)) {
    const { claim } = claimLog;
    const events = allTriesOf(claimLog);
    const turns = events.flatMap(reviewsAfterOf);
    if (JSON.stringify(turns) !== JSON.stringify(claim.reviews_after ?? []))
      yield `Claim ${claim.id} has another order of its reviews than the log says.`;
    const approved = new Set<string>();
    for (const { type, agent, data } of events) {
      if (data?.phase !== "review") continue;
      if (type === "grant_done" && data.rejects !== true) approved.add(String(agent));
      if (type !== "grant_queued" && type !== "grant_waiting") continue;
      const turn = turns.find((one) => one.agent === agent);
      for (const name of turn?.after ?? [])
        if (!approved.has(name))
          yield `${agent} was asked for its review of claim ${claim.id} before ${name} had approved.`;
    }
  }
}

const namesIn = (text: unknown) => (text === undefined ? [] : String(text).split(" "));

/** Returns what the log says of the agents with equal bids, when one of them was granted. */
function rivalsIn({ data }: SettEvent) {
  const busy = namesIn(data?.busy).map((text) => text.split(":") as [string, string]);
  const least = Math.min(...busy.map(([, before]) => Number(before)));
  return {
    ...{
      idle: namesIn(data?.idle),
      busy: busy.map(([name]) => name),
      silent: namesIn(data?.silent),
    },
    freest: busy.find(([, before]) => Number(before) === least)?.[0],
  };
}

/** The choice between equal bids is made again, from the log alone. */
function* theFirstIdleOfEqualBidsWins(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    if (claim.kind !== "standard") continue;
    const bidders = bidsIn(events).flatMap(({ agent, word }) =>
      word === "exclusive" ? [String(agent)] : [],
    );
    let holder: string | undefined;
    for (const event of ofType(events, "grant_queued").filter(
      ({ data }) => data?.phase === "exclusive",
    )) {
      const { idle, busy, silent, freest } = rivalsIn(event);
      const known = [idle, busy, silent];
      const areAll = known.flat().toSorted().join() === bidders.toSorted().join();
      const areInOrder = known.every(
        (names) => names.join() === bidders.filter((name) => names.includes(name)).join(),
      );
      // An agent's next attempt is its own, and what moves is for a rule of its own.
      const isNew = holder === undefined;
      const chosen = bidders.length === 1 ? bidders[0] : (idle[0] ?? freest ?? silent[0]);
      if (isNew && bidders.length > 1 && !(areAll && areInOrder))
        yield `The agents with equal bids on claim ${claim.id} are not those of its grant: ${bidders.join(", ")}.`;
      if (
        isNew ? event.agent !== chosen : event.agent !== holder && event.data?.instead_of !== holder
      )
        yield `${event.agent} was granted claim ${claim.id}, and not ${isNew ? chosen : holder}.`;
      holder = String(event.agent);
    }
  }
}

function* grantsMoveToIdleAgentsOnly(history: History) {
  for (const { claim, events } of claimLogsOf(history)) {
    if (claim.stand_in !== undefined) continue;
    const moves = ofType(events, "grant_queued").filter(
      ({ data }) => data?.instead_of !== undefined,
    );
    for (const event of moves) {
      const { idle } = rivalsIn(event);
      const from = String(event.data?.instead_of);
      if (!idle.includes(String(event.agent)) || idle.includes(from))
        yield `Claim ${claim.id} moved from ${from} to ${event.agent}; idle were: ${idle.join(", ")}.`;
      const isEnded = ofType(events, "grant_cancelled").some(
        ({ agent, data }) => agent === from && data?.moved_to === event.agent,
      );
      if (!isEnded)
        yield `Claim ${claim.id} moved from ${from} to ${event.agent}, and ${from} has it still.`;
    }
  }
}
