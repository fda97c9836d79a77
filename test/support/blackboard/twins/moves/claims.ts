// Claims and bids: opening, bidding, announcing and reading.
import { call } from "../call.ts";
import { newClaim, word } from "../samples.ts";
import type { World } from "../world.ts";
import type { Move } from "./move.ts";

export const claimMoves: readonly Move[] = [
  {
    weight: 9,
    make: (world) =>
      call(world.leading(), "openClaim", {
        open: newClaim(world),
        epoch: world.epoch(),
        bidDeadlineMs: world.afterMs(),
      }),
  },
  { weight: 1, make: (world) => call(world.handle(), "readClaim", world.claimId()) },
  {
    weight: 1,
    make: (world) =>
      call(world.handle(), "readClaims", [
        ...world.random.some([...world.state.claims.keys()]),
        world.claimId(),
      ]),
  },
  { weight: 1, make: (world) => call(world.handle(), "listOpenClaims", ...world.somePage()) },
  { weight: 1, make: (world) => call(world.handle(), "countOpenClaims") },
  { weight: 1, make: (world) => call(world.handle(), "listOpenClaimsOfGoal", world.goal()) },
  {
    weight: 2,
    make: (world) =>
      call(world.handle(), "listClaimsOf", world.agent(), world.random.oneOf("asked", "work")),
  },
  { weight: 1, make: (world) => call(world.handle(), "claimsOfArtefact", world.artefactId()) },
  {
    weight: 9,
    make: (world) => {
      const claim = bidOn(world);
      if (claim === undefined) return undefined;
      const { electorate = [], bids = [] } = world.state.claims.get(claim)?.claim ?? {};
      const missing = electorate.filter((agent) => !bids.some((bid) => bid.agent === agent));
      const agent = world.known(missing, () => world.agent(), 0.9);
      const reason = world.random.chance(0.2) ? { reason: 'it "fits"' } : {};
      return call(world.handle(), "placeBid", { claim, agent, word: word(world), ...reason });
    },
  },
  {
    weight: 3,
    make: (world) => {
      const claim = bidOn(world);
      const isSilent = world.random.chance(0.3);
      const order = { epoch: world.epoch(), nextAfterMs: world.afterMs(), isSilent };
      return claim && call(world.leading(), "announceClaim", { claim, ...order });
    },
  },
  { weight: 1, make: (world) => call(world.handle(), "endOfAnnouncements") },
  {
    weight: 1,
    make: (world) =>
      call(
        world.handle(),
        "followAnnouncements",
        world.random.below(world.state.announcements.length + 1) - 1,
      ),
  },
];

/** Mostly a claim whose bidding is open. */
function bidOn(world: World) {
  const open = [...world.state.claims.values()].filter(
    ({ claim }) => claim.bidding === "open" && world.isLive(claim),
  );
  return world.fitting(
    open.map(({ claim }) => claim.id),
    () => world.claimId(),
  );
}
