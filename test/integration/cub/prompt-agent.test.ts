// An agent that is a prompt: the cub asks its model for the bid, and runs its own program as the
// worker, on a model of the test.
import { afterAll, expect, test } from "bun:test";
import { parseToken } from "../../../lib/models/token.ts";
import { coder, cubInstance } from "../../support/cub/cub-instance.ts";
import { startCub } from "../../support/cub/cub-process.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";

const redis = await startRedisServer();
afterAll(() => redis[Symbol.asyncDispose]());

const gatewayOf = (base: string | undefined) => new URL(base ?? "").origin;

test("a prompt and a model are enough to bid and to work; each has a token of its own, and the blackboard only digests", async () => {
  await using model = scriptedModel("anthropic", [
    { call: [["bid", { word: "exclusive", reason: "It is about sums." }]] },
    { call: [["finish", { type: "Sum", payload: "3", summary: "Added." }]] },
  ]);
  const { ANTHROPIC_BASE_URL: base } = model.environment as Record<string, string>;
  await using scene = await cubInstance(redis, "exit 9", {
    agent: { asks_model: true },
    env: {
      SETT_AGENT_COMMAND: "[]",
      SETT_GIT_BINARY: "git",
      SETT_PROMPT_CLAIM: "You take sums.",
      SETT_PROMPT_EXECUTION: "You add.",
      SETT_GATEWAY_URL: gatewayOf(base),
      SETT_MODEL: "test-model",
      SETT_MODEL_PROVIDER: "anthropic",
    },
  });
  await using cub = startCub(scene.env);
  const claim = await scene.standIn.open(await scene.standIn.post({ payload: "1 + 2?" }), [coder]);
  expect(await scene.standIn.bidOn(claim, coder)).toBe("exclusive");
  await scene.standIn.grant(claim, coder);
  const { state, artefact, grant } = await scene.standIn.ended(claim, coder);
  expect({ state, type: artefact.type, payload: artefact.payload }).toEqual({
    state: "done",
    type: "Sum",
    payload: "3",
  });
  const tokens = model.requests.map(({ headers }) => parseToken(headers.get("x-api-key") ?? ""));
  expect(tokens.map((token) => [token?.kind, token?.attempt])).toEqual([
    ["bid", 0],
    ["grant", 1],
  ]);
  expect(grant).toMatchObject({ model_token: tokens[1]?.digest });
  expect(cub.lines.find(({ msg }) => msg === "Cub started")?.command).toEndWith(
    "service cub --work",
  );
});
