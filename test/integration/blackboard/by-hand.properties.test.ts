// Whatever a person writes with plain HSET: Redis and its twin say the same of it, and nothing
// unsound gets in.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { ArtefactFields } from "../../../lib/blackboard/records/artefact-field-names.ts";
import { fieldsOfArtefact } from "../../../lib/blackboard/records/artefact-fields.ts";
import type { Bench } from "../../support/blackboard/bench.ts";
import { openInMemoryBench } from "../../support/blackboard/in-memory-bench.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import { acquireLeaderLease } from "../../support/blackboard/scene.ts";
import { isNight } from "../../support/nightly.ts";
import { sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());
setDefaultTimeout(600_000);

const goal = sampleArtefact();
const hands = [sampleArtefact(), sampleArtefact(), sampleArtefact()];
const ids = [goal, ...hands].map(({ id }) => id);
// What cannot be typed at a shell is left out: NUL, and halves of surrogate pairs.
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const id = fc.oneof(fc.constantFrom(...ids), fc.uuid({ version: 4 }), text);
const sources = fc.oneof(
  fc.array(id, { maxLength: 3 }).map((list) => JSON.stringify(list)),
  fc.json(),
  text,
);
const metadata = fc.oneof(
  fc.dictionary(text, fc.jsonValue()).map((object) => JSON.stringify(object)),
  text,
);
const flaw: fc.Arbitrary<Partial<ArtefactFields>> = fc.record(
  {
    logical_id: id,
    version: fc.oneof(fc.integer().map(String), fc.constantFrom("1.5", "1e3", "007"), text),
    structural_type: fc.oneof(fc.constantFrom("Standard", "Review", "Gossip"), text),
    type: text,
    payload: text,
    source_artefacts: sources,
    produced_by_role: fc.oneof(fc.constantFrom("coder", "critic"), text),
    created_at: text,
    goal_id: id,
    ...{
      produced_by_agent: fc.oneof(fc.constantFrom("coder", "critic", ""), text),
      claim_id: id,
    },
    metadata,
  },
  { requiredKeys: [] },
);

/** A next version of the goal, perhaps. */
const version: fc.Arbitrary<Partial<ArtefactFields>> = fc.record({
  logical_id: fc.constant(goal.id),
  version: fc.constantFrom("1", "2", "3"),
  type: fc.constantFrom(goal.type, "Draft"),
  source_artefacts: fc.constant(JSON.stringify([goal.id])),
  goal_id: fc.constantFrom(goal.id, ""),
});

/**
 * One writing: a sound artefact with some fields spoilt or left out, under one of a few ids; the
 * goal's is taken.
 */
const writing = fc.record({
  at: fc.nat({ max: hands.length }),
  spoilt: fc.oneof(
    fc.constant({}),
    version,
    flaw,
    id.map((other) => ({ id: other })),
  ),
  without: fc.oneof(
    fc.constant([]),
    fc.subarray(["payload", "type", "created_at", "goal_id", "claim_id", "metadata"] as const),
  ),
});
type Writing = typeof writing extends fc.Arbitrary<infer Value> ? Value : never;

function fieldsOf({ at, spoilt, without }: Writing): Partial<ArtefactFields> {
  const fields: Partial<ArtefactFields> = {
    ...fieldsOfArtefact([goal, ...hands][at] ?? goal),
    ...spoilt,
  };
  for (const name of without) delete fields[name];
  return fields;
}

/** Everything that a reader can see afterwards. */
async function write(bench: Bench, writings: readonly Writing[]) {
  const { board, hand } = bench;
  const epoch = await acquireLeaderLease(board);
  await board.registerAgents([sampleAgent("coder"), sampleAgent("critic")], "person:Ada", {
    exact: true,
  });
  await board.createArtefact(goal, "person:Ada");
  const answers = [];
  for (const one of writings) {
    const target = ids[one.at] ?? goal.id;
    await hand.writeArtefact(target, fieldsOf(one));
    answers.push(await board.adoptArtefact(target, epoch));
  }
  const events = await board.readEvents("0", 100);
  const created = events
    .filter(({ type }) => type === "artefact_created")
    .map(({ artefact_id }) => artefact_id);
  const refused = events
    .filter(({ type }) => type === "artefact_refused")
    .map(({ artefact_id, data }) => [artefact_id, data]);
  const goals = await Promise.all(
    (await board.listGoals()).map(async (one) => [one, await board.listArtefactsOfGoal(one)]),
  );
  return { answers, created, refused, goals };
}

test("any artefact written by hand is taken in or refused alike, and what is taken in is sound", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(writing, { minLength: 1, maxLength: 5 }), async (writings) => {
      await using redis = await openRedisBench(server);
      await using memory = await openInMemoryBench();
      const outcome = await write(redis, writings);
      expect(outcome).toEqual(await write(memory, writings));
      const adopted = writings
        .filter((_, index) => outcome.answers[index]?.outcome === "adopted")
        .map(({ at }) => ids[at]);
      expect(outcome.created).toEqual([goal.id, ...adopted]);
      expect(new Set(outcome.created).size).toBe(outcome.created.length);
    }),
    { numRuns: isNight ? 60 : 10 },
  );
});
