// A real orchestrator on a real Redis in which a person writes, removes and breaks records with
// plain commands.
import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import {
  type ArtefactFields,
  artefactFieldNames,
} from "../../../lib/blackboard/records/artefact-field-names.ts";
import { fieldsOfArtefact } from "../../../lib/blackboard/records/artefact-fields.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { EventType } from "../../../lib/model/event.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { startService } from "../../support/process/service-process.ts";
import { newArtefactId, sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { patient, startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("test");
setDefaultTimeout(600_000);

/** One agent is registered, so that claims wait for its bid. */
async function createWorld() {
  const redis = await startRedisServer();
  const board = await connectBlackboard({ url: redis.url, instance, ...patient });
  await board.registerAgents([sampleAgent("coder")], "person:test", { exact: true });
  const env = {
    SETT_INSTANCE_NAME: instance,
    REDIS_URL: redis.url,
    SETT_HEALTH_PORT: "0",
    SETT_HOLDER: "one",
  };
  const key = (name: string) => `sett:${instance}:${name}`;
  const write = (id: string, fields: Partial<ArtefactFields>) =>
    redis.cli("HSET", key(`artifact:${id}`), ...Object.entries(fields).flat());
  return {
    redis,
    board,
    key,
    write,
    publish: (id: string) => redis.cli("PUBLISH", key("artefact_events"), id),
    start: () => startService("orchestrator", env),
    events: async (type: EventType) =>
      (await board.readEvents("0", 10_000)).filter((event) => event.type === type),
    claimed: (goal: Artefact) =>
      waitFor("the claim", async () => {
        const claim = (await board.claimsOfArtefact(goal.id)).get("standard");
        return claim && (await board.readClaim(claim))?.claim;
      }),
    async [Symbol.asyncDispose]() {
      await board[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

test("an artefact written over another's id is refused with an event and gets no claim, and work goes on", async () => {
  await using world = await createWorld();
  const { board } = world;
  await using _service = world.start();
  const goal = sampleArtefact();
  await board.createArtefact(goal, "person:test");
  await world.claimed(goal);
  await world.write(goal.id, {
    type: "Sneaked",
    payload: "Do something else.",
    goal_id: newArtefactId(),
  });
  // One that was stated while the orchestrator began to listen may have left it waiting for its own
  // publication.
  const [refusal] = await waitFor("the refusal", async () => {
    await world.publish(goal.id);
    const refused = await world.events("artefact_refused");
    return refused.length > 0 && refused;
  });
  expect(refusal).toMatchObject({ actor: "hand", artefact_id: goal.id });
  expect(String(refusal?.data?.reason)).toMatch(/is taken.*overwritten by hand.*id of its own/);
  const next = sampleArtefact();
  await board.createArtefact(next, "person:test");
  await world.claimed(next);
  expect(await world.events("claim_opened")).toHaveLength(2);
  expect(await world.events("artefact_created")).toHaveLength(2);
});

test.each([
  ["vanished", (key: string) => ["DEL", key], "is not on the blackboard"],
  [
    "was broken by hand",
    (key: string) => ["HSET", key, "metadata", "{"],
    "`metadata` must be a JSON object",
  ],
] as const)(
  "a claim whose target %s ends with a Failure that says so, instead of waiting for ever",
  async (_what, harm, reason) => {
    await using world = await createWorld();
    const { board } = world;
    const goal = sampleArtefact();
    {
      await using first = world.start();
      await board.createArtefact(goal, "person:test");
      await world.claimed(goal);
      first.signal("SIGKILL");
    }
    await world.redis.cli(...harm(world.key(`artifact:${goal.id}`)));
    await using _second = world.start();
    const { id } = await world.claimed(goal);
    const claim = await waitFor("the end of the claim", async () => {
      const read = (await board.readClaim(id))?.claim;
      return read?.status === "terminated" && read;
    });
    expect(claim.termination_reason).toContain(reason);
    const failures = (await board.listArtefactsOfGoal(goal.goal_id)).filter(
      (one) => one !== goal.id,
    );
    expect(await board.readArtefacts(failures)).toMatchObject([
      {
        structural_type: "Failure",
        type: "ArtefactUnreadable",
        claim_id: id,
        metadata: { summary: claim.termination_reason },
      },
    ]);
    const next = sampleArtefact();
    await board.createArtefact(next, "person:test");
    await world.claimed(next);
  },
);

test("whatever is written and published by hand, only sound artefacts get claims, and the orchestrator lives on", async () => {
  await using world = await createWorld();
  const { board } = world;
  await using service = world.start();
  const text = fc.string({ unit: "grapheme", maxLength: 20 });
  const spoilt = fc.dictionary(fc.constantFrom(...artefactFieldNames), fc.oneof(text, fc.json()), {
    minKeys: 1,
    maxKeys: 3,
  });
  const sound = [sampleArtefact(), sampleArtefact()];
  for (const flaws of fc.sample(spoilt, 100)) {
    const one = sampleArtefact();
    await world.write(one.id, { ...fieldsOfArtefact(one), ...flaws });
    await world.publish(one.id);
  }
  await world.redis.cli("SET", world.key(`artifact:${newArtefactId()}`), "no hash at all");
  for (const word of ["", "no id", "…", `${newArtefactId()}:claims`]) await world.publish(word);
  for (const one of sound) {
    await world.write(one.id, fieldsOfArtefact(one));
    await world.publish(one.id);
  }
  for (const one of sound) expect(await world.claimed(one)).toMatchObject({ artefact_id: one.id });
  for (const { artefact_id } of await world.events("claim_opened")) {
    expect(artefact_id && (await board.readArtefact(artefact_id))).toBeDefined();
  }
  expect((await world.events("artefact_refused")).length).toBeGreaterThan(0);
  expect(service.errors()).toBe("");
});
