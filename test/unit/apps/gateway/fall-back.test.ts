// The models that may answer a call, in their order.
import { expect, test } from "bun:test";
import { isAwayAnswer, turnsOf } from "../../../../apps/gateway/fall-back.ts";
import { ModelName, type ModelSettings } from "../../../../lib/model/config-models.ts";
import type { CostlyApi } from "../../../../lib/model/model-call.ts";
import { settingsOf } from "../../../support/gateway/gateway-scene.ts";

const settings = (model: Partial<ModelSettings> = {}) =>
  settingsOf({ base_url: "http://127.0.0.1:1/v1", model });
const fallback = ["cheap", "gone", "claude", "weak"];
const strong = settings({ fallback });
const models = new Map([
  ...[["strong", strong] as const, ["cheap", settings({ fallback: ["strong"] })] as const],
  ...[["claude", settings({ provider: "anthropic" })] as const, ["weak", settings()] as const],
]);
const agent = { model: ModelName.parse("strong"), budget: { calls: 1 } };

function namesFor(api: CostlyApi, json: object, previous?: string) {
  const request = { api, json: { ...json }, previous_response: previous };
  return turnsOf(models, { token: {} as never, agent, model: strong }, request).map((turn) => [
    ...[turn.admitted.agent.model, turn.insteadOf, turn.hasNext],
  ]);
}

test("the agent's own model comes first, then those of its `fallback` with the same API", () => {
  expect(namesFor("chat", {})).toEqual([
    ["strong", undefined, true],
    ["cheap", "strong", true],
    ["weak", "strong", false],
  ] as never);
});

test("a conversation that the provider keeps has no other model", () => {
  const alone = [["strong", undefined, false]] as never;
  expect(namesFor("responses", {})).toEqual(alone);
  expect(namesFor("responses", { store: true })).toEqual(alone);
  expect(namesFor("responses", { store: false }, "resp_1")).toEqual(alone);
  expect(namesFor("responses", { store: false })).toHaveLength(3);
});

test.each([
  ...[[200, false] as const, [400, false] as const, [401, false] as const, [404, false] as const],
  ...[[408, true] as const, [429, true] as const, [500, true] as const, [529, true] as const],
])("the status %i says that the provider is away: %p", (status, expected) => {
  expect(isAwayAnswer({ response: new Response(null, { status }), tries: 1 })).toBe(expected);
});
