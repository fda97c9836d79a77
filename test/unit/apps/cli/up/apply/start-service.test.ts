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

test("a part that takes gifts in a cluster is one that has some, and each has its name there", async () => {
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
  const texts = await textsFor(gateway, { values, plan });
  expect(texts).toEqual({ "put-keys": '{"strong":"sk-one"}' });
});

test("a file of certificates comes to each pod that goes out, under a name that changes with it", async () => {
  const path = import.meta.path;
  const withCa = { ...config, models: { ...config.models, way: { ca: path } } };
  const translation = kubernetesTranslation({
    ...{ namespace: "team", certificates: { path, id: "0123" } },
  });
  const plan = samplePlan(withCa, {}, translation);
  const { gateway } = plan;
  if (gateway === undefined) throw new Error("It has a model.");
  expect(gateway.spec.env.NODE_EXTRA_CA_CERTS).toBe("/run/gifts/0123.pem");
  expect(gateway.spec.placement).toEqual({ takes: "/gateway", copies: true });
  const texts = await textsFor(gateway, { values, plan });
  expect(Object.keys(texts)).toEqual(["put-keys", "0123.pem"]);
  expect(texts["0123.pem"]).toContain("a name that changes with it");
  expect(plan.redis.copies).toBeUndefined();
  expect(JSON.stringify(gateway.spec)).not.toContain(path);
});
