// Damage to bids and to what was granted on them.
import { change, claim, type Damage, drop, event, found, release, repeat } from "./hand.ts";

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
  ["noAgentBidsTwice", "a second bid in the log", (h) => repeat(h, event(h, "bids_placed", { claim: release(h) }))],
  ["noAgentBidsTwice", "a second bid on record", (h) => release(h).bids.push(found(release(h).bids[0], "first bid"))],
  ["bidsAreRecordedAsTheLogSays", "bids in another order", (h) => release(h).bids.reverse()],
  ["bidsAreRecordedAsTheLogSays", "a public hash that differs", (h) => change(release(h).bidHash, { tester: "ignore" })],
  ["bidsAreRecordedAsTheLogSays", "the bid of an agent that is not in the electorate", (h) => release(h).electorate.splice(2, 1)],
  [
    "grantsGoToThoseWhoBidForThem",
    "a grant without a bid for its phase",
    (h) => change(event(h, "grant_queued", { claim: release(h), agent: "reviewer" }), { agent: "tester" }),
  ],
  [
    "grantsGoToThoseWhoBidForThem",
    "a bidder who was left out",
    (h) => drop(h, event(h, "grant_queued", { claim: release(h), agent: "secrets" })),
  ],
  [
    "grantsGoToThoseWhoBidForThem",
    "a rework by another agent",
    (h) => change(event(h, "grant_queued", { claim: claim(h, "CodeCommit", 1, "rework") }), { agent: "tester" }),
  ],
  [
    "theFirstExclusiveBidWins",
    "a packager whose bid came second",
    (h) => {
      const { data } = event(h, "bids_placed", { claim: release(h) });
      const names: Record<string, string> = { "packager-one": "packager-two", "packager-two": "packager-one" };
      change(data ?? {}, { bids: String(data?.bids).replace(/packager-\w+/g, (name) => names[name] ?? name) });
    },
  ],
];
