// Damage that shows only where decisions are made again: each event by itself is well-formed.
import type { History } from "../history.ts";
import { change, type Damage, drop, event, found, grant, release } from "./hand.ts";

/** Changes what a claim was opened on, under the same digest. */
function changeFact(history: History, name: "registry" | "policy", from: RegExp, to: string): void {
  const digest = String(event(history, "claim_opened", { claim: release(history) }).data?.[name]);
  const text = found(history.facts.get(digest), `fact ${name}`);
  if (!from.test(text)) throw new Error(`The ${name} does not have ${from}.`);
  history.facts.set(digest, text.replace(from, to));
}

const rule = "everyDecisionFollowsFromTheLog";

export const replayDamages: readonly Damage[] = [
  [
    rule,
    "another rule of an agent",
    (h) => changeFact(h, "registry", /"bid":"review"/g, '"bid":"ignore"'),
  ],
  [rule, "a registration that is gone", (h) => changeFact(h, "registry", /^\[.*\]$/s, "[]")],
  [
    rule,
    "facts that are gone",
    (h) => {
      h.facts = new Map();
    },
  ],
  [
    rule,
    "a grant that no bid earned",
    (h) => change(event(h, "grant_queued", { claim: release(h) }), { agent: "planner" }),
  ],
  [
    rule,
    "a review that rejects, of a claim that went on",
    (h) => {
      const done = event(h, "grant_done", { claim: release(h), agent: "reviewer" });
      change(done, { data: { ...done.data, rejects: true } });
    },
  ],
  [
    rule,
    "a rejection that became an approval",
    (h) => {
      const done = found(
        h.events.find(({ type, data }) => type === "grant_done" && data?.rejects === true),
        "rejection",
      );
      const { rejects: _, ...rest } = done.data ?? {};
      change(done, { data: rest });
    },
  ],
  [
    rule,
    "a rework that follows from nothing",
    (h) =>
      drop(
        h,
        found(
          h.events.find(({ type }) => type === "claim_terminated"),
          "rejection",
        ),
      ),
  ],
  [
    rule,
    "the first half of a decision",
    (h) => drop(h, event(h, "bidding_closed", { claim: release(h) })),
  ],
  [
    rule,
    "a decision before its time",
    (h) => {
      const end = event(h, "claim_completed", { claim: release(h) });
      drop(h, end);
      const last = event(h, "grant_done", { claim: release(h) });
      h.events.splice(h.events.indexOf(last), 0, end);
    },
  ],
  [
    rule,
    "an end for another reason",
    (h) => {
      const end = found(
        h.events.find(({ type }) => type === "claim_terminated"),
        "rejection",
      );
      change(end, { data: { ...end.data, reason: "It was not wanted." } });
    },
  ],
  [
    "claimsAreAsTheLogSays",
    "another attempt in the record of a grant",
    (h) => change(grant(release(h), "reviewer"), { attempt: 7 }),
  ],
  [
    "noDecisionIsDue",
    "an end that never came",
    (h) => drop(h, event(h, "claim_completed", { claim: release(h) })),
  ],
];
