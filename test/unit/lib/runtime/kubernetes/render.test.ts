import { expect, test } from "bun:test";
import { parse } from "yaml";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { withFingerprint } from "../../../../../lib/runtime/fingerprint.ts";
import {
  kustomizationText,
  manifestText,
  type Rendering,
  renderInstance,
  type There,
} from "../../../../../lib/runtime/kubernetes/render.ts";
import { kubernetesTranslation } from "../../../../../lib/runtime/kubernetes/translate.ts";
import { sampleConfig, samplePlan } from "../../../../support/cli/sample-plan.ts";

const instance = InstanceName.parse("demo");
const password = "0123456789abcdef0123456789abcdef";
const yml = (word: string) => `version: '1.0'
agents:
  coder:
    image: some/image:1
    command: [work]
    workspace: { mode: rw }
    environment: ["TOKEN=${word}"]
`;
const hosts = ["sett-demo-redis", "sett-demo-packs"].map((name, at) => ({
  name,
  address: `10.96.0.${at}`,
}));
const nothing: There = { hosts, parts: new Map(), secrets: new Map() };

function rendering(
  word = "open-sesame-and-in",
  there = nothing,
  namespace = "sett-demo",
): Rendering {
  const config = sampleConfig(yml(word));
  const services = { ...config.services, packs: "service", reach: "tls" } as const;
  const inCluster = { ...config, services };
  const plan = samplePlan(inCluster, { password }, kubernetesTranslation({ namespace: "team" }));
  const { networks, agents } = plan;
  const parts = [...plan.services, ...agents];
  return { instance, namespace, networks, parts, password, there };
}

const textOf = ({ files }: ReturnType<typeof renderInstance>) =>
  files.map(({ name, objects }) => `# ${name}\n${manifestText(objects)}`).join("");

test("the same instance has the same manifests to the byte, a file for each part", () => {
  const one = renderInstance(rendering());
  expect(textOf(renderInstance(rendering()))).toBe(textOf(one));
  const names = one.files.map(({ name }) => name);
  expect(names).toEqual([
    ...["namespace", "instance", "redis", "orchestrator", "recorder", "packs", "agent-coder"],
  ]);
  expect(kustomizationText(names)).toContain("resources:\n  - namespace.yaml\n  - instance.yaml\n");
  const elsewhere = renderInstance(rendering("open-sesame-and-in", nothing, "team-a"));
  expect(elsewhere.files.map(({ name }) => name)).not.toContain("namespace");
  expect(textOf(elsewhere)).toContain("namespace: team-a\n");
});

test("no manifest has a value of a variable, and each Secret has all of its part's", () => {
  const inputs = rendering();
  const { first, ...rendered } = renderInstance(inputs);
  const text = textOf({ first, ...rendered });
  const secrets = first.filter(({ kind }) => kind === "Secret");
  expect(secrets.map(({ stringData }) => stringData)).toEqual(
    inputs.parts.map((part) => part.spec.env),
  );
  const values = inputs.parts.flatMap(({ spec }) => Object.values(spec.env));
  // Shorter ones are words and numbers such as `true`, and one is a folder that is mounted.
  const long = values.filter((value) => value.length > 12 && !value.startsWith("/"));
  expect(long.length).toBeGreaterThan(10);
  expect(long.filter((value) => text.includes(value))).toEqual([]);
  expect(long).toContain("open-sesame-and-in");
  for (const { metadata } of secrets) expect(text).toContain(`name: ${metadata.name}\n`);
});

test("another value is another Secret, and what guesses it must know the password", () => {
  const one = renderInstance(rendering("a"));
  const other = renderInstance(rendering("b"));
  const namesOf = ({ first }: typeof one) => first.map(({ metadata }) => metadata.name);
  const changed = namesOf(other).filter((name) => !namesOf(one).includes(name));
  expect(changed.map((name) => name.split(".")[0])).toEqual(["sett-demo-agent-coder"]);
  const stranger = renderInstance({ ...rendering("a"), password: "another" });
  expect(namesOf(stranger).filter((name) => namesOf(one).includes(name))).toEqual([
    ...["sett-demo", "sett-demo-redis", "sett-demo-packs"],
  ]);
});

test("the fingerprint in an agent's manifest cannot be guessed without the password", () => {
  const { spec } = rendering().parts.at(-1) ?? {};
  if (spec === undefined) throw new Error("The last part is the agent.");
  const guessed = withFingerprint(spec, spec.image).labels.fingerprint?.split(" ") ?? [];
  expect(guessed.length).toBeGreaterThan(5);
  for (const part of guessed) expect(spec.labels.fingerprint).not.toContain(part);
});

test("a part that the cluster has keeps its selector, and its Secret while it is the same", () => {
  const { parts } = rendering();
  const [coder] = parts.filter(({ spec }) => spec.name.endsWith("coder"));
  const env = coder?.spec.env ?? {};
  const there: There = {
    hosts,
    parts: new Map([["sett-demo-agent-coder", { made: "feedfeedfeed", secret: "kept" }]]),
    secrets: new Map([["kept", env]]),
  };
  const same = textOf(renderInstance(rendering("open-sesame-and-in", there)));
  expect(same).toContain("dev.sett.made: feedfeedfeed\n");
  expect(same).toContain("name: kept\n");
  const changed = renderInstance(rendering("another", there));
  expect(textOf(changed)).toContain("dev.sett.made: feedfeedfeed\n");
  expect(textOf(changed)).not.toContain("name: kept\n");
  expect(changed.withoutSecret).toContain("agent-coder");
  expect(renderInstance(rendering("open-sesame-and-in", there)).withoutSecret).not.toContain(
    "agent-coder",
  );
});

test("what must be there before is named, and comes first", () => {
  const { first, withoutAddress, withoutSecret } = renderInstance(
    rendering("a", { ...nothing, hosts: hosts.slice(0, 1) }),
  );
  expect(withoutAddress).toEqual(["sett-demo-packs"]);
  expect(withoutSecret).toEqual(["redis", "orchestrator", "recorder", "packs", "agent-coder"]);
  expect(first.map(({ kind }) => kind).join(" ")).toBe(
    "Namespace Service Service Secret Secret Secret Secret Secret",
  );
});

test("kubectl, which reads YAML 1.1, finds each text as a text", () => {
  const words = ["yes", "on", "n", "OFF", "1_000", "0b11", "2026-11-29", "12:30:45", "<<"];
  const object = { args: words, stringData: Object.fromEntries(words.map((one) => [one, one])) };
  expect(parse(manifestText([object]), { version: "1.1" })).toEqual(object);
});

test("what `sett up` gives a part is in a Secret that comes before, and in no manifest", () => {
  const [redis, ...others] = rendering().parts;
  if (redis === undefined) throw new Error("The first part is Redis.");
  const withGifts = { ...redis, texts: { "put-keys": "sesame-of-the-models" } };
  const { first, ...rendered } = renderInstance({ ...rendering(), parts: [withGifts, ...others] });
  expect(textOf({ first, ...rendered })).not.toContain("sesame");
  expect(first.at(-1)).toMatchObject({
    ...{ kind: "Secret", metadata: { name: "sett-demo-redis.gifts", namespace: "sett-demo" } },
    data: { "put-keys": Buffer.from("sesame-of-the-models").toString("base64") },
  });
});
