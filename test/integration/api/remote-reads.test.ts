// Shows what a command line reads through the API: however many goals there are, in few requests;
// and it waits where its token has to.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { defaultLimits } from "../../../apps/api/deps.ts";
import { encode } from "../../../lib/client/remote/codec.ts";
import { remoteBoard } from "../../../lib/client/remote/remote-board.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { newArtefactId } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { root } from "../../support/root.ts";

const requestsPerMinute = 120;
const goals = 60;
let scene: ApiScene;

beforeAll(async () => {
  const limits = { ...defaultLimits, requestsPerMinute };
  scene = await ApiScene.start({ coder: {} }, { orchestrator: false, deps: { limits } });
  for (let number = 0; number < goals; number += 1) {
    const goal = await scene.clan.postGoal(`Paint door ${number}`);
    const made = {
      id: newArtefactId(),
      goal_id: goal.goal_id,
      source_artefacts: [goal.id],
      type: "Note",
    };
    await scene.clan.board.createArtefact(sampleArtefact(made), "person:test");
  }
});
afterAll(() => scene[Symbol.asyncDispose]());

const requestCount = async () =>
  (await scene.metrics.requests.get()).values.reduce((sum, { value }) => sum + value, 0);
const around = (token: string) => ({
  cwd: root,
  env: { SETT_API: scene.url, SETT_API_TOKEN: token },
});

test("the state of many goals is read in fewer requests than there are goals", async () => {
  const { code, out, err } = await runSett(["status", "--all"], around(scene.tokens.reader));
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.match(/Paint door/g)).toHaveLength(goals);
  expect(await requestCount()).toBeLessThan(goals);
});

test("reads together are answered one by one, in their order, and only reads are taken", async () => {
  const [first, second] = await scene.clan.board.listGoals();
  const board = remoteBoard({ url: scene.url, token: scene.tokens.all }, "demo");
  const read = [first, undefined, second].map((id) =>
    board.readGoal(id ?? ("nothing" as never)).catch(({ code }) => code),
  );
  const [one, wrong, other] = await Promise.all(read);
  expect([one, other]).toEqual([
    await scene.clan.board.readGoal(first as never),
    await scene.clan.board.readGoal(second as never),
  ]);
  expect(wrong).toBe("usage");
  for (const calls of [
    [["logEvent", []]],
    [["constructor", []]],
    [],
    "x",
    Array.from({ length: 101 }, () => ["time", []]),
  ])
    expect(await scene.ask("POST", "/v1/board/reads", { body: encode(calls) })).toMatchObject({
      status: 422,
    });
});

nightly(
  "where the token has sent too many requests, the command waits and goes on",
  async () => {
    const as = { as: "forager" } as const;
    while ((await scene.get("/v1/instance", as)).status !== 429);
    const { code, out } = await runSett(
      ["budget", (await scene.clan.board.listGoals())[0] ?? ""],
      around(scene.tokens.forager),
    );
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("tokens") });
  },
  120_000,
);
