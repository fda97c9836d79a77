// Damage to the further try of a claim that had failed for good: to what it has taken over from the
// one before.
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimRecord, History } from "../history.ts";
import { change, type Damage, found, grant, stranger } from "./hand.ts";

const again = (history: History): ClaimRecord =>
  found(
    [...history.claims.values()].find(({ kind }) => kind === "retry"),
    "retry",
  );
function result(history: History, agent: string): Artefact {
  const { id } = again(history);
  const isIt = (one: Artefact) =>
    one.claim_id === id && one.produced_by_agent === agent && one.structural_type === "Standard";
  return found([...history.artefacts.values()].find(isIt), `result of ${agent}`);
}

export const retryDamages: readonly Damage[] = [
  [
    "grantsAreAsTheLogSays",
    "work that was done before and is to be done again",
    (h) => change(grant(again(h), "reviewer"), { state: "queued" }),
  ],
  [
    "grantsAreAsTheLogSays",
    "work that was done before and is forgotten",
    (h) => again(h).grants.splice(0, 1),
  ],
  [
    "grantsAreAsTheLogSays",
    "another result of what was done before",
    (h) => change(grant(again(h), "reviewer"), { artefact_ids: [stranger] }),
  ],
  ["everyBidStaysOnRecord", "a bid of the first try that is gone", (h) => again(h).bids.pop()],
  [
    "grantsGoToThoseWhoBidForThem",
    "work of an agent that never bid for it",
    (h) =>
      change(
        found(
          again(h).bids.find(({ agent }) => agent === "secrets"),
          "bid",
        ),
        { word: "ignore" },
      ),
  ],
  [
    "resultsNameTheirSources",
    "a result without what was done before",
    (h) => result(h, "secrets").source_artefacts.pop(),
  ],
  [
    "failuresOfCompletedRetriesDoNotCount",
    "a Failure that counts although its claim was tried again",
    (h) => delete h.causes.get(again(h).artefact_id)?.[again(h).cause],
  ],
  [
    "onlyTheCurrentAttemptCounts",
    "a try that follows nothing",
    (h) => change(again(h), { cause: `retry:${stranger}` }),
  ],
];
