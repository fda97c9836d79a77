// Artefacts and goals: what people and the orchestrator post, and all ways to read it.
import { artefactFieldNames } from "../../../../../lib/blackboard/records/artefact-fields.ts";
import { LogicalId } from "../../../../../lib/model/ids.ts";
import { call } from "../call.ts";
import { artefact, newGoal, nextVersion } from "../samples.ts";
import type { World } from "../world.ts";
import type { Move } from "./move.ts";

const user = "person:Ada Lovelace";

export const artefactMoves: readonly Move[] = [
  { weight: 3, make: (world) => call(world.handle(), "createArtefact", newGoal(world), user) },
  { weight: 6, make: (world) => call(world.handle(), "createArtefact", artefact(world), user) },
  {
    weight: 3,
    make: (world) => call(world.leading(), "postAsLeader", artefact(world), world.epoch()),
  },
  {
    weight: 1,
    make: (world) => call(world.leading(), "postAsLeader", oddArtefact(world), world.epoch()),
  },
  { weight: 2, make: (world) => call(world.handle(), "createArtefact", oddArtefact(world), user) },
  {
    weight: 5,
    make: (world) => {
      const next = nextVersion(world);
      return next && call(world.handle(), "createArtefact", next, "orchestrator:1");
    },
  },
  {
    weight: 0.8,
    make: (world) => {
      const failure = world.random.chance(0.6)
        ? artefact(world, { structural_type: "Failure" })
        : undefined;
      const goal = failure?.goal_id ?? world.goal();
      const order = {
        goal,
        ending: world.random.oneOf("cancelled" as const, "artefact_limit" as const),
        ...(world.random.chance(0.5) && { by: user }),
        ...(failure && { failure }),
        epoch: world.epoch(),
      };
      return call(world.leading(), "endGoal", order);
    },
  },
  { weight: 1, make: (world) => call(world.handle(), "readArtefact", world.artefactId()) },
  { weight: 1, make: (world) => call(world.handle(), "readWithDigest", world.artefactId()) },
  { weight: 1, make: (world) => call(world.handle(), "readArtefacts", someIds(world)) },
  { weight: 2, make: (world) => call(world.handle(), "readHeads", someIds(world)) },
  {
    weight: 1,
    // A hand writes over few: all are asked for at times, so that one of those is among them.
    make: (world) =>
      call(
        world.handle(),
        "findOverwritten",
        world.random.chance(0.5) ? [...world.state.artefacts.keys()] : someIds(world),
      ),
  },
  {
    weight: 2,
    make: (world) => {
      const target = world.artefact(world.indexedId());
      const max = world.random.chance(0.2) ? [world.random.oneOf(0, 10, 2_000)] : [];
      return target && call(world.handle(), "readContext", target, someIds(world), ...max);
    },
  },
  {
    weight: 1,
    make: (world) =>
      call(
        world.handle(),
        "readThread",
        world.known(world.state.threads.keys(), () => LogicalId.parse(world.random.uuid())),
      ),
  },
  { weight: 1, make: (world) => call(world.handle(), "listArtefacts", world.page()) },
  { weight: 1, make: (world) => call(world.handle(), "countArtefacts") },
  {
    weight: 2,
    make: (world) => {
      const start = world.random.chance(0.8)
        ? world.indexedId().slice(0, world.random.oneOf(1, 8, 36))
        : world.random.oneOf("", "*", "?", "[a-f]", "\\", "^");
      return call(world.handle(), "findArtefacts", start);
    },
  },
  { weight: 1, make: (world) => call(world.handle(), "listGoals", ...world.somePage()) },
  { weight: 1, make: (world) => call(world.handle(), "countGoals") },
  {
    weight: 1,
    make: (world) => call(world.handle(), "listArtefactsOfGoal", world.goal(), ...world.somePage()),
  },
  { weight: 2, make: (world) => call(world.handle(), "readOutline", world.goal()) },
  { weight: 1, make: (world) => call(world.handle(), "listCommits") },
  { weight: 1, make: (world) => call(world.handle(), "readGoal", world.goal()) },
  { weight: 1, make: (world) => call(world.handle(), "artefactHints", someIds(world)) },
];

/**
 * An id that has another content, a thread that does not exist, a goal that was ended: mostly
 * refused.
 */
function oddArtefact(world: World) {
  const known = world.artefact(world.indexedId());
  const sample = artefact(world);
  const name = world.random.pick(artefactFieldNames.filter((one) => one !== "id")) ?? "payload";
  if (known !== undefined && world.random.chance(0.6)) return { ...known, [name]: sample[name] };
  return {
    ...sample,
    logical_id: LogicalId.parse(world.random.uuid()),
    version: world.random.oneOf(1, 2),
  };
}

function someIds(world: World) {
  const ids = world.random.some([...world.state.artefacts.keys()], 0.4);
  return world.random.chance(0.2) ? [...ids, world.artefactId(), world.newArtefactId()] : ids;
}
