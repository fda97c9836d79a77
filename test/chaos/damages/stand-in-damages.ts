// Damage to the work of an agent that stood in for the artefact's producer.
import type { ClaimRecord, History } from "../history.ts";
import { change, type Damage, drop, event, found, grant, stranger } from "./hand.ts";

const standIn = (history: History): ClaimRecord =>
  found(
    [...history.claims.values()].find(({ stand_in }) => stand_in !== undefined),
    "claim with a stand-in",
  );
const worker = (h: History) => String(standIn(h).grants[0]?.agent);

export const standInDamages: readonly Damage[] = [
  [
    "standInsHaveTheRole",
    "a stand-in of another role",
    (h) => change(grant(standIn(h), worker(h)), { agent: "tester" }),
  ],
  [
    "standInsHaveTheRole",
    "a stand-in for an agent that has nothing to do with it",
    (h) => change(standIn(h).stand_in ?? {}, { for: "tester" }),
  ],
  [
    "standInsHaveAReason",
    "a stand-in for an agent that was there",
    (h) => drop(h, ...h.events.filter(({ type }) => type === "agent_removed")),
  ],
  [
    "standInsAreLogged",
    "a stand-in that the log does not tell of",
    (h) =>
      change(event(h, "grant_queued", { claim: standIn(h) }), {
        data: { phase: "exclusive", attempt: 1 },
      }),
  ],
  [
    "noAgentIsStandInTwice",
    "a stand-in that was asked twice",
    (h) =>
      h.claims.set(
        stranger,
        change({ ...standIn(h) }, { id: stranger, cause: `stand-in:${stranger}` }),
      ),
  ],
  [
    "grantsGoToThoseWhoBidForThem",
    "a rework by another agent that is no stand-in",
    (h) => delete standIn(h).stand_in,
  ],
];
