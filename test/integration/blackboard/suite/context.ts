import { expect, test } from "bun:test";
import { contextDepth } from "../../../../lib/blackboard/records/context-chain.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { messageOf } from "../../../../lib/model/errors.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { user } from "../../../support/blackboard/scene.ts";
import { derived, nextVersion } from "../../../support/records/lineage.ts";
import { newArtefactId, sampleArtefact } from "../../../support/records/sample.ts";

export function contextSuite(open: () => Promise<Bench>, rarely: typeof test): void {
  /** The context of `target` on a board that holds `stored`. */
  async function contextOf(
    target: Artefact,
    stored: readonly Artefact[],
    additional: readonly Artefact[] = [],
  ) {
    await using bench = await open();
    for (const artefact of stored) {
      expect(await bench.board.createArtefact(artefact, user)).toEqual({ outcome: "created" });
    }
    return await bench.board.readContext(
      target,
      additional.map(({ id }) => id),
    );
  }

  async function chainOf(
    target: Artefact,
    stored: readonly Artefact[],
    additional: readonly Artefact[] = [],
  ) {
    return (await contextOf(target, stored, additional)).chain;
  }

  test("a goal has none", async () => {
    const goal = derived([]);
    expect(await contextOf(goal, [goal])).toEqual({ chain: [], additional: [] });
  });

  test("it holds the sources and their sources, oldest first, and not the target", async () => {
    const goal = derived([]);
    const design = derived([goal], { payload: "\u0000 é 🦡\r\n" });
    const code = derived([design]);
    expect(await chainOf(code, [goal, design, code])).toEqual([goal, design]);
  });

  test("a source is replaced by the latest version of its thread, one entry for each thread", async () => {
    const goal = derived([]);
    const first = derived([goal]);
    const second = nextVersion(first);
    const check = derived([first]);
    const target = derived([first, second, check]);
    expect(await chainOf(target, [goal, first, second, check, target])).toEqual([
      goal,
      second,
      check,
    ]);
  });

  test("what another goal has made is taken as it was cited, and with what it came from", async () => {
    const goal = derived([]);
    const first = derived([goal]);
    const second = nextVersion(first);
    const fork = { ...derived([]), source_artefacts: [first.id] };
    const target = derived([fork]);
    const all = [goal, first, second, fork, target];
    expect(await chainOf(fork, all)).toEqual([goal, first]);
    expect(await chainOf(target, all)).toEqual([goal, first, fork]);
  });

  test("the goal stays in sight of a reworked version, which cites only the version it replaces and the reviews", async () => {
    const goal = derived([]);
    const first = derived([goal]);
    const review = derived([first], { structural_type: "Review" });
    const second = nextVersion(first, [review]);
    const third = nextVersion(second);
    expect(await chainOf(third, [goal, first, review, second, third])).toEqual([goal, review]);
  });

  test("additional artefacts belong to it like sources, and are handed over apart in the order and the versions asked for", async () => {
    const goal = derived([]);
    const note = derived([goal]);
    const newer = nextVersion(note);
    const remark = derived([goal]);
    const found = await contextOf(goal, [goal, note, newer, remark], [remark, derived([]), note]);
    expect(found.chain).toEqual([newer, remark]);
    expect(found.additional).toEqual([remark, note]);
  });

  test("the target is handed over where it is asked for by name", async () => {
    const goal = derived([]);
    expect(await contextOf(goal, [goal], [goal])).toEqual({ chain: [], additional: [goal] });
  });

  test("a source that does not exist is left out", async () => {
    await using bench = await open();
    const goal = derived([]);
    const [gone, target] = [derived([goal]), derived([goal])];
    for (const one of [goal, gone]) await bench.board.createArtefact(one, user);
    await bench.hand.removeArtefact(gone.id);
    const citing = { ...target, source_artefacts: [goal.id, gone.id] };
    expect((await bench.board.readContext(citing, [])).chain).toEqual([goal]);
  });

  test("a circle of sources ends", async () => {
    await using bench = await open();
    const a = derived([]);
    const b = derived([a]);
    for (const one of [a, b]) await bench.board.createArtefact(one, user);
    await bench.hand.writeArtefact(a.id, { source_artefacts: JSON.stringify([b.id]) });
    const looped = { ...a, source_artefacts: [b.id] };
    expect((await bench.board.readContext(b, [])).chain).toEqual([looped]);
  });

  test("it reaches ten steps and no further", async () => {
    const line = [derived([])];
    for (let step = 0; step < 14; step++) line.push(derived(line.slice(-1)));
    const target = line.at(-1) ?? derived([]);
    expect(await chainOf(target, line)).toEqual(line.slice(-1 - contextDepth, -1));
  });

  test("artefacts of the same millisecond stand with the farther one first", async () => {
    const created_at = "2026-01-01T00:00:00.000Z";
    const goal = derived([], { created_at });
    const design = derived([goal], { created_at });
    const target = derived([design], { created_at });
    expect(await chainOf(target, [goal, design, target])).toEqual([goal, design]);
  });

  test("a source comes before what was made of it, whatever their times, ids and distances say", async () => {
    const [early, late] = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z"];
    for (const ofSource of [early, late]) {
      const goal = derived([], { created_at: early });
      const [one, other] = [newArtefactId(), newArtefactId()];
      const [first, second] = one < other ? [one, other] : [other, one];
      const source = derived([goal], { id: second, created_at: ofSource });
      const product = derived([source], { id: first, created_at: early });
      // Cited by the target as well, the source is no farther from it than what was made of it.
      const target = derived([product, source, goal], { created_at: late });
      expect(await chainOf(target, [goal, source, product, target])).toEqual([
        goal,
        source,
        product,
      ]);
    }
  });

  rarely("a large one is read whole and byte for byte, like a small one", async () => {
    const goal = derived([]);
    const parts = [1, 200_000, 300_000, 2_000_000].map((length) =>
      derived([goal], { payload: `é\u0000${"x".repeat(length)}` }),
    );
    const target = derived(parts);
    const first = parts.slice(0, 1);
    const { chain, additional } = await contextOf(target, [goal, ...parts, target], first);
    expect(chain.map(({ id }) => id)).toEqual([goal, ...parts].map(({ id }) => id));
    expect([goal, ...parts].every(({ payload }, index) => chain[index]?.payload === payload)).toBe(
      true,
    );
    expect(additional).toEqual(first);
  });

  test("one that is too large is refused, and the largest artefacts are named", async () => {
    await using bench = await open();
    const goal = derived([]);
    const [small, large] = [
      derived([goal], { type: "Small" }),
      derived([goal], { type: "Large", payload: "x".repeat(700_000) }),
    ];
    const target = derived([small, large]);
    for (const artefact of [goal, small, large, target])
      await bench.board.createArtefact(artefact, user);
    const error = await bench.board
      .readContext(target, [large.id], 500_000)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "context-too-large" });
    expect(messageOf(error)).toMatch(/has 0\.7M in 3 artefacts.*limits\.context.*\(0\.5M\)/);
    expect(messageOf(error)).toContain(`Large ${large.id.slice(0, 8)} (0.7M)`);
    // The target itself does not count, and what is in both counts once.
    expect((await bench.board.readContext(target, [large.id], 750_000)).chain).toHaveLength(3);
    expect((await bench.board.readContext(large, [], 1_000)).chain).toEqual([goal]);
  });

  rarely("one of very many artefacts, with much metadata, is whole", async () => {
    await using bench = await open();
    const goal = derived([]);
    const metadata = { summary: "Said", more: "x".repeat(5_000) };
    const reports = Array.from({ length: 1_100 }, () => derived([goal], { metadata, payload: "" }));
    const [first, second = goal] = reports;
    const remark = derived([goal]);
    const reworked = nextVersion(second);
    const target = derived(reports);
    await bench.board.createArtefact(goal, user);
    // Not all at once: the answer to a probe would come behind all of them.
    for (let at = 0; at < reports.length; at += 100)
      await Promise.all(
        reports.slice(at, at + 100).map((artefact) => bench.board.createArtefact(artefact, user)),
      );
    for (const artefact of [remark, reworked, target])
      await bench.board.createArtefact(artefact, user);
    const additional = [remark, second, derived([]), second];
    const found = await bench.board.readContext(
      target,
      additional.map(({ id }) => id),
    );
    const ids = (artefacts: readonly (Artefact | undefined)[]) =>
      artefacts.map((artefact) => artefact?.id);
    expect(ids(found.chain)).toEqual(ids([goal, first, ...reports.slice(2), remark, reworked]));
    expect(ids(found.additional)).toEqual(ids([remark, second, second]));
    const tooLarge = bench.board.readContext(target, [], 1_000_000);
    await expect(tooLarge).rejects.toMatchObject({
      code: "context-too-large",
      message: expect.stringContaining("in 1101 artefacts"),
    });
  });

  test("an artefact that is asked for twice counts once", async () => {
    await using bench = await open();
    const [goal, target] = [sampleArtefact({ payload: "x".repeat(600) }), sampleArtefact()];
    await bench.board.createArtefact(goal, user);
    const context = await bench.board.readContext(target, [goal.id, goal.id], 1_000);
    expect(context).toEqual({ chain: [goal], additional: [goal, goal] });
  });

  test("one that a person has damaged is named by its key; a damaged version that is replaced harms nothing", async () => {
    await using bench = await open();
    const goal = sampleArtefact();
    const [target, later] = [derived([goal]), nextVersion(goal)];
    for (const artefact of [goal, target]) await bench.board.createArtefact(artefact, user);
    await bench.hand.writeArtefact(goal.id, { id: "" });
    const problem = expect.stringContaining(`artifact:${goal.id} is malformed: \`id\` must be`);
    await expect(bench.board.readContext(target, [])).rejects.toMatchObject({
      code: "artefact-malformed",
      message: problem,
    });
    await bench.board.createArtefact(later, user);
    expect((await bench.board.readContext(target, [])).chain).toEqual([later]);
  });
}
