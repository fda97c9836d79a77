// The names that are looked for before anything is built are those of the plan.
import { expect, test } from "bun:test";
import { plannedNames } from "../../../../../../apps/cli/up/plan/planned-names.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";
import { sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";

const small = "version: '1.0'\nagents:\n  echo: { image: some/image:1, command: [echo] }\n";
const large = `version: '1.0'
models: { big: { provider: anthropic, model: claude-sonnet-4-5, key: $KEY } }
secrets: { tok: { file: ./tok }, key: { file: ./key } }
services: { api: { tokens: [{ name: ci, may: [read], secret: tok }] } }
agents:
  coder: { image: some/image:1, prompts: { execution: "Do it" }, model: big }
  many: { image: some/image:1, command: [echo], replicas: 3, strategy: fresh_per_call }
  secretive: { image: some/image:1, command: [echo], secrets: [key] }
  prepared: { image: some/image:1, command: [echo], strategy: fresh_per_call, workspace: { prepare: { run: a, key: [b], network: { egress: [c] } } } }
  reaching: { image: some/image:1, command: [echo], egress: [example.com] }
`;

test.each([small, large])("%#", (text) => {
  const config = sampleConfig(text, {
    KEY: "0123456789abcdef",
    TOKEN: "0123456789abcdef0123456789abcdef",
  });
  const over = { isLayered: true };
  const plan = samplePlan(config, over, { socket: { path: "/var/run/docker.sock", gid: 1 } });
  const names = plannedNames(InstanceName.parse("demo"), config);
  const parts = [...plan.services, ...plan.agents];
  const specs = parts.map(({ spec }) => spec);
  const volumes = parts.flatMap((part) => part.volumes.filter(({ name }) => !/-cub-/.test(name)));
  const isOwn = (name: string) => !/\.old$/.test(name);
  const isOfSlot = (name: string) => /workspace-(?:many|prepared)\.\d$/.test(name);
  expect(names.container.filter(isOwn).sort()).toEqual(specs.map(({ name }) => name).sort());
  expect(names.volume.filter((name) => !isOfSlot(name)).sort()).toEqual(
    volumes.map(({ name }) => name).sort(),
  );
  expect(names.volume.filter(isOfSlot)).toHaveLength(text === large ? 4 : 0);
  expect(names.network.sort()).toEqual(plan.networks.map(({ name }) => name).sort());
});
