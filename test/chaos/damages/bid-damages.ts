// Damage to bids and to what was granted on them.
import type { History } from "../history.ts";
import { change, claim, type Damage, drop, event, found, release, repeat } from "./hand.ts";

const packagerQueued = (h: History) =>
  found(
    h.events.find(({ type, agent, claim_id }) => {
      return (
        type === "grant_queued" &&
        claim_id === release(h).id &&
        agent?.startsWith("packager") === true
      );
    }),
    "grant of a packager",
  );

export const bidDamages: readonly Damage[] = [
  ["everyBidStaysOnRecord", "a bid that is gone", (h) => release(h).bids.splice(2, 1)],
  [
    "everyBidStaysOnRecord",
    "a bid that has changed",
    // Bids come in any order.
    (h) =>
      change(
        found(
          release(h).bids.find(({ word }) => word !== "review"),
          "bid that is no review",
        ),
        { word: "review" },
      ),
  ],
  ["everyElectorIsHeard", "an elector who was never heard", (h) => release(h).bids.splice(2, 1)],
  [
    "noAgentBidsTwice",
    "a second bid in the log",
    (h) => repeat(h, event(h, "bids_placed", { claim: release(h) })),
  ],
  [
    "noAgentBidsTwice",
    "a second bid on record",
    (h) => release(h).bids.push(found(release(h).bids[0], "first bid")),
  ],
  ["bidsAreRecordedAsTheLogSays", "bids in another order", (h) => release(h).bids.reverse()],
  [
    "bidsAreRecordedAsTheLogSays",
    "a public hash that differs",
    (h) => change(release(h).bidHash, { tester: "ignore" }),
  ],
  [
    "bidsAreRecordedAsTheLogSays",
    "the bid of an agent that is not in the electorate",
    (h) => release(h).electorate.splice(2, 1),
  ],
  [
    "grantsGoToThoseWhoBidForThem",
    "a grant without a bid for its phase",
    (h) =>
      change(event(h, "grant_queued", { claim: release(h), agent: "reviewer" }), {
        agent: "tester",
      }),
  ],
  [
    "grantsGoToThoseWhoBidForThem",
    "a bidder who was left out",
    (h) => drop(h, event(h, "grant_queued", { claim: release(h), agent: "secrets" })),
  ],
  [
    "grantsGoToThoseWhoBidForThem",
    "a rework by another agent",
    (h) =>
      change(event(h, "grant_queued", { claim: claim(h, "CodeCommit", 1, "rework") }), {
        agent: "tester",
      }),
  ],
  [
    "reviewersAreAskedInTheirTurn",
    "a reviewer who was asked before another one had approved",
    (h) => {
      const closing = event(h, "bidding_closed", { claim: release(h) });
      const after = [{ agent: "reviewer", after: ["tester"] }];
      change(closing, { data: { after: "reviewer:tester" } });
      change(release(h), { reviews_after: after });
    },
  ],
  [
    "reviewersAreAskedInTheirTurn",
    "an order of reviews that the log does not know",
    (h) => change(release(h), { reviews_after: [{ agent: "tester", after: ["reviewer"] }] }),
  ],
  [
    "theFirstIdleOfEqualBidsWins",
    "a packager whose bid came second",
    (h) => {
      const { data } = event(h, "bids_placed", { claim: release(h) });
      const names: Record<string, string> = {
        "packager-one": "packager-two",
        "packager-two": "packager-one",
      };
      change(data ?? {}, {
        bids: String(data?.bids).replace(/packager-\w+/g, (name) => names[name] ?? name),
      });
    },
  ],
  [
    "theFirstIdleOfEqualBidsWins",
    "a packager who was granted, although another one was idle and came first",
    (h) => {
      const { data } = packagerQueued(h);
      change(data ?? {}, { idle: String(data?.idle).split(" ").toReversed().join(" ") });
    },
  ],
  [
    "grantsMoveToIdleAgentsOnly",
    "a grant that was taken from an idle agent",
    (h) => {
      const { agent, data } = packagerQueued(h);
      change(data ?? {}, {
        instead_of: agent === "packager-one" ? "packager-two" : "packager-one",
        because: "It was.",
      });
    },
  ],
];
