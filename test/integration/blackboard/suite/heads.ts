import { expect, test } from "bun:test";
import { beginningLength } from "../../../../lib/blackboard/records/artefact-fields.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { acquireLeaderLease, byHand, postGoal, user } from "../../../support/blackboard/scene.ts";
import { newArtefactId, sampleArtefact } from "../../../support/records/sample.ts";

export function headsSuite(open: () => Promise<Bench>, rarely: typeof test): void {
  test("a head is all of an artefact but its payload, and has its size in bytes", async () => {
    await using bench = await open();
    const artefact = sampleArtefact({
      payload: "é 🦡",
      type: 'Odd 🦡 "type"',
      metadata: { summary: "Said", more: [] },
    });
    await bench.board.createArtefact(artefact, user);
    const { payload: _, ...head } = artefact;
    expect(await bench.board.readHeads([artefact.id])).toEqual([
      { head, payloadBytes: 7, beginning: "" },
    ]);
  });

  test("heads come in the order asked for, without those that do not exist or are not complete", async () => {
    await using bench = await open();
    const [one, two] = [await postGoal(bench.board), await postGoal(bench.board)];
    const partial = newArtefactId();
    await bench.hand.writeArtefact(partial, { id: partial, type: "Half" });
    const heads = await bench.board.readHeads([two.id, partial, newArtefactId(), one.id]);
    expect(heads.map(({ head }) => head.id)).toEqual([two.id, one.id]);
    expect(await bench.board.readHeads([])).toEqual([]);
  });

  test.each([{}, { summary: "" }, { summary: "  " }, { other: "summary" }])(
    "where metadata is %j the beginning of the payload comes along",
    async (metadata) => {
      await using bench = await open();
      const artefact = sampleArtefact({ payload: "x".repeat(2 * beginningLength), metadata });
      await bench.board.createArtefact(artefact, user);
      const [found] = await bench.board.readHeads([artefact.id]);
      expect(found?.beginning).toBe("x".repeat(beginningLength));
    },
  );

  test("a beginning ends with a whole character", async () => {
    await using bench = await open();
    const artefact = sampleArtefact({ payload: "€".repeat(beginningLength) });
    await bench.board.createArtefact(artefact, user);
    const [found] = await bench.board.readHeads([artefact.id]);
    // It is cut between bytes.
    expect(found?.beginning).toBe("€".repeat(Math.floor(beginningLength / 3)));
  });

  test.each([4096, 4097, 1024 ** 2])(
    "a payload of %i bytes has its beginning",
    async (payloadBytes) => {
      await using bench = await open();
      const payload = `${"€".repeat(beginningLength)}${"x".repeat(payloadBytes - 3 * beginningLength)}`;
      const [posted, hasSummary] = [
        sampleArtefact({ payload }),
        sampleArtefact({ payload, metadata: { summary: "Said" } }),
      ];
      for (const artefact of [posted, hasSummary]) await bench.board.createArtefact(artefact, user);
      const beginning = "€".repeat(Math.floor(beginningLength / 3));
      expect(await bench.board.readHeads([posted.id, hasSummary.id])).toMatchObject([
        { payloadBytes, beginning },
        { payloadBytes, beginning: "" },
      ]);
    },
  );

  test("a large payload that was written by hand has its beginning once it is adopted", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const artefact = sampleArtefact({ payload: "x".repeat(5_000) });
    const { id } = artefact;
    await bench.hand.writeArtefact(id, byHand(artefact));
    expect(await bench.board.adoptArtefact(id, epoch)).toEqual({ outcome: "adopted" });
    expect(await bench.board.readHeads([id])).toMatchObject([
      { beginning: "x".repeat(beginningLength) },
    ]);
  });

  rarely(
    "one that is named twice is there twice, and much metadata needs no more than more calls",
    async () => {
      await using bench = await open();
      const large = Array.from({ length: 10 }, () =>
        sampleArtefact({ metadata: { summary: "Said", more: "x".repeat(1_000_000) } }),
      );
      for (const artefact of large) await bench.board.createArtefact(artefact, user);
      const ids = large.map(({ id }) => id);
      const heads = await bench.board.readHeads([...ids, ...ids]);
      expect(heads.map(({ head }) => head.id)).toEqual([...ids, ...ids]);
    },
  );

  test("an artefact that was written over by hand is found, whichever of its fields it was, and no other one", async () => {
    await using bench = await open();
    const { board } = bench;
    const sound = await postGoal(board);
    const changes = {
      payload: "other",
      produced_by_agent: "mallory",
      metadata: '{"summary":"Other"}',
      source_artefacts: "[",
    };
    const overwritten = [];
    for (const [field, value] of Object.entries(changes)) {
      const { id } = await postGoal(board);
      await bench.hand.writeArtefact(id, { [field]: value });
      overwritten.push(id);
    }
    const unknown = newArtefactId();
    await bench.hand.writeArtefact(unknown, { id: unknown });
    const ids = [sound.id, ...overwritten, unknown, newArtefactId()];
    expect(await board.findOverwritten(ids)).toEqual(overwritten);
    expect(await board.findOverwritten([])).toEqual([]);
  });

  test("an artefact with a payload that is larger than the caller looks at is left out of what was overwritten", async () => {
    await using bench = await open();
    const [short, long] = [await postGoal(bench.board), await postGoal(bench.board)];
    await bench.hand.writeArtefact(short.id, { payload: "x".repeat(100) });
    await bench.hand.writeArtefact(long.id, { payload: "x".repeat(101) });
    const ids = [short.id, long.id];
    expect(await bench.board.findOverwritten(ids)).toEqual(ids);
    const limits = { maxPayloadBytes: 100 };
    expect(await bench.board.findOverwritten(ids, limits)).toEqual([short.id]);
  });

  test("the head of an artefact that was broken by hand is an error that names its key", async () => {
    await using bench = await open();
    const { id } = await postGoal(bench.board);
    await bench.hand.writeArtefact(id, { metadata: "{" });
    const error = await bench.board.readHeads([id]).catch((thrown: unknown) => thrown);
    if (!(error instanceof SettError)) throw new Error("It was read.");
    expect([error.code, error.message]).toEqual([
      "artefact-malformed",
      expect.stringContaining(`artifact:${id}`),
    ]);
  });

  rarely("a thousand heads are read at once", async () => {
    await using bench = await open();
    const goals = Array.from({ length: 1_100 }, () => sampleArtefact());
    await Promise.all(goals.map((goal) => bench.board.createArtefact(goal, user)));
    const heads = await bench.board.readHeads(goals.map(({ id }) => id));
    expect(heads.map(({ head }) => head.id)).toEqual(goals.map(({ id }) => id));
  });
}
