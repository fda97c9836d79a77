import { expect, test } from "bun:test";
import { textsFor } from "../../../../../../apps/cli/up/apply/start-service.ts";
import { kubernetesTranslation } from "../../../../../../lib/runtime/kubernetes/translate.ts";
import { sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";

const config = sampleConfig(`version: '1.0'
models: { strong: { provider: openai, model: m, base_url: "http://models.example.org/v1" } }
agents:
  one: { image: "some/image:1", command: [run], model: strong }
`);
const values = {
  ...{ keys: { strong: "sk-one" }, toolHeaders: {}, secrets: {}, tls: undefined, hooks: {} },
  forges: undefined,
};

test("a part that takes gifts in a cluster is one that has some, and each has its name there", () => {
  const plan = samplePlan(config, {}, kubernetesTranslation({ namespace: "team" }));
  const takers = plan.services.flatMap(({ spec, service }) =>
    spec.placement?.takes === undefined ? [] : [`${service.name} ${spec.placement.takes}`],
  );
  expect(takers).toEqual(["gateway /gateway"]);
  expect(
    plan.services.flatMap(({ service }) => (service.gifts === undefined ? [] : [service.name])),
  ).toEqual(["gateway"]);
  const { gateway } = plan;
  if (gateway === undefined) throw new Error("It has a model.");
  expect(textsFor(gateway, { values, plan })).toEqual({ "put-keys": '{"strong":"sk-one"}' });
});
