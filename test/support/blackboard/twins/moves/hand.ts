// Plays what a person writes with plain Redis commands, and the adoption of it.
import {
  type ArtefactFields,
  artefactFieldNames,
  fieldsOfArtefact,
} from "../../../../../lib/blackboard/records/artefact-fields.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import { byHand, call } from "../call.ts";
import { artefact, newGoal, nextVersion } from "../samples.ts";
import type { World } from "../world.ts";
import type { Move } from "./move.ts";

export const handMoves: readonly Move[] = [
  {
    weight: 6,
    make: (world) => {
      const written = wanted(world);
      return (
        written && byHand("writeArtefact", written.id, spoilt(world, fieldsOfArtefact(written)))
      );
    },
  },
  {
    weight: 1,
    make: (world) =>
      byHand("writeArtefact", world.artefactId(), {
        [field(world)]: world.random.oneOf("", "damaged", "{}", "1"),
      }),
  },
  {
    weight: 8,
    make: (world) => {
      const waiting = [...world.state.artefacts.keys()].filter(
        (id) => !world.state.indexed.has(id),
      );
      const id = world.fitting(waiting, () => world.artefactId(), 0.8);
      return id && call(world.leading(), "adoptArtefact", id, world.epoch());
    },
  },
  {
    weight: 0.5,
    make: (world) => {
      const id = world.random.pick(
        [...world.state.artefacts.keys()].filter((one) => !world.state.indexed.has(one)),
      );
      return id && byHand("removeArtefact", id);
    },
  },
  { weight: 1, make: (world) => byHand("readArtefact", world.artefactId()) },
  { weight: 1, make: (world) => byHand("publish", world.artefactId()) },
  {
    weight: 1,
    make: (world) => {
      const claim = world.random.pick([...world.state.claims.keys()]);
      return claim && byHand("readBids", claim);
    },
  },
  {
    weight: 0.5,
    make: (world) => {
      const claim = world.random.pick(
        [...world.state.claims.keys()].filter((id) => !world.state.brokenClaims.has(id)),
      );
      return claim && byHand("breakClaim", claim);
    },
  },
  {
    weight: 1,
    make: (world) => {
      const claim = world.random.pick([...world.state.brokenClaims]);
      return claim && byHand("mendClaim", claim);
    },
  },
  {
    weight: 0.5,
    make: (world) =>
      byHand(
        "writeRegistration",
        world.agent(),
        world.random.oneOf("{", "{}", '{"name":"coder"}', "[]"),
      ),
  },
  {
    weight: 0.5,
    make: (world) => {
      const event = world.random.oneOf(
        "{",
        "[]",
        '{"actor":"hand"}',
        '{"actor":"hand","data":{"deep":[1]}}',
        '{"actor":3}',
      );
      return byHand("writeEvent", {
        type: world.random.oneOf("bid_placed", "claim_dreamt", "unreadable"),
        event,
      });
    },
  },
  {
    weight: 0.3,
    make: (world) => {
      const event = world.random.pick(world.state.events);
      return event && byHand("removeEvent", event.id);
    },
  },
  {
    weight: 0.5,
    make: (world) => {
      const about = JSON.stringify({
        artefact_id: "a",
        type: "b",
        produced_by_role: "c",
        missing: ["coder"],
      });
      return byHand("writeAnnouncement", {
        claim: world.random.oneOf<string>(world.claimId(), "none"),
        about: world.random.oneOf(about, "{", "{}"),
      });
    },
  },
  {
    weight: 1,
    make: (world) => {
      const claim = world.claimId();
      const attempt = world.random.oneOf("1", "01", "x", "", "1:2", "1e3", "0");
      const lease = `${world.random.oneOf("lease", "attempt")}:${claim}:${world.random.oneOf("coder", "Coder", "")}:${attempt}`;
      const member = world.random.oneOf(
        `bids:${claim}`,
        `bids:${claim}:x`,
        `announce:${claim.toUpperCase()}`,
        "bids:none",
        "nonsense",
        lease,
        lease,
      );
      return byHand("writeDue", member, world.state.now() + world.random.oneOf(-1_000, 0, 1_000));
    },
  },
];

/** A goal, a next version, or something new, as its writer may have meant it. */
function wanted(world: World): Artefact | undefined {
  const { random } = world;
  const kind = random.below(3);
  if (kind === 0) return newGoal(world);
  if (kind === 1) return nextVersion(world);
  return artefact(world, {
    produced_by_role: random.oneOf("user", "coder", "someone", "orchestrator"),
  });
}

function spoilt(world: World, fields: ArtefactFields): Partial<ArtefactFields> {
  const { random } = world;
  const left: Partial<ArtefactFields> = { ...fields };
  for (const name of [
    "created_at",
    "metadata",
    "goal_id",
    "produced_by_agent",
    "claim_id",
  ] as const)
    if (random.chance(name === "created_at" ? 0.5 : 0.1)) delete left[name];
  if (random.chance(0.15)) delete left[field(world)];
  if (random.chance(0.15))
    left[field(world)] = random.oneOf<string>("", "odd", "[]", world.artefactId(), "2");
  return left;
}

function field(world: World) {
  return world.random.pick(artefactFieldNames) ?? "payload";
}
