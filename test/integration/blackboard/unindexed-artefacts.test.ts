// The look for artefacts that were written by hand, and when it is left out.
import { afterAll, expect, test } from "bun:test";
import { ArtefactId } from "../../../lib/model/ids.ts";
import { openRedisBench } from "../../support/blackboard/redis-bench.ts";
import { acquireLeaderLease, byHand, postGoal } from "../../support/blackboard/scene.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";

const server = await startRedisServer();
afterAll(() => server[Symbol.asyncDispose]());

test("at rest the keys are not looked through, and what is written by hand then is found all the same", async () => {
  await using bench = await openRedisBench(server);
  const { board } = bench;
  const scans = async () =>
    Number(/cmdstat_scan:calls=(\d+)/.exec(await server.cli("INFO", "commandstats"))?.[1] ?? 0);
  const goal = await postGoal(board);
  expect(await board.findUnindexedArtefacts()).toEqual([]);
  const before = await scans();
  expect(await board.findUnindexedArtefacts()).toEqual([]);
  expect(await board.findUnindexedArtefacts()).toEqual([]);
  expect((await scans()) - before).toBe(0);

  const written = byHand(sampleArtefact({ type: "Note", source_artefacts: [goal.id] }));
  const id = ArtefactId.parse(written.id);
  await bench.hand.writeArtefact(id, written);
  expect(await board.findUnindexedArtefacts()).toEqual([id]);
  expect(await board.findUnindexedArtefacts()).toEqual([id]);
});

test("a look is made in parts, each of about as many keys as are asked for, those of other programs too", async () => {
  await using bench = await openRedisBench(server);
  const { board } = bench;
  await server.cli("EVAL", "for key = 1, 5000 do redis.call('SET', 'tenant:' .. key, '') end", "0");
  const goal = await postGoal(board);
  const written = byHand(sampleArtefact({ type: "Note", source_artefacts: [goal.id] }));
  const id = ArtefactId.parse(written.id);
  await bench.hand.writeArtefact(id, written);
  const scans = () =>
    server
      .cli("INFO", "commandstats")
      .then((text) => Number(/cmdstat_scan:calls=(\d+)/.exec(text)?.[1]));
  const before = await scans();
  expect(await board.findUnindexedArtefacts(1_000)).toBeUndefined();
  expect((await scans()) - before).toBe(1);
  let found: ArtefactId[] | undefined;
  // The table of Redis has more places than keys, and two tables while it grows.
  for (let parts = 0; found === undefined && parts < 40; parts++)
    found = await board.findUnindexedArtefacts(1_000);
  expect(found).toEqual([id]);
});

test("an artefact written by hand in the place of a key that went is found later", async () => {
  await using bench = await openRedisBench(server);
  const { board } = bench;
  const goal = await postGoal(board);
  await server.cli("SET", bench.key("some"), "key");
  expect(await board.findUnindexedArtefacts()).toEqual([]);
  await server.cli("DEL", bench.key("some"));
  const written = byHand(sampleArtefact({ type: "Note", source_artefacts: [goal.id] }));
  await bench.hand.writeArtefact(ArtefactId.parse(written.id), written);
  let looks = 1;
  while ((await board.findUnindexedArtefacts())?.length === 0 && looks < 100) looks++;
  expect(looks).toBe(41);
});

test("a refused artefact that is mended by hand is found, also at rest", async () => {
  await using bench = await openRedisBench(server);
  const { board } = bench;
  const epoch = await acquireLeaderLease(board);
  const goal = await postGoal(board);
  const sound = sampleArtefact({ type: "Note", source_artefacts: [goal.id] });
  await bench.hand.writeArtefact(sound.id, { ...byHand(sound), structural_type: "Nonsense" });
  expect(await board.adoptArtefact(sound.id, epoch)).toMatchObject({ outcome: "refused" });
  expect(await board.findUnindexedArtefacts()).toEqual([]);
  await bench.hand.writeArtefact(sound.id, byHand(sound));
  expect(await board.findUnindexedArtefacts()).toEqual([sound.id]);
});
