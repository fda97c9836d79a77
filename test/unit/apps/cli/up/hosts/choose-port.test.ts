import { expect, test } from "bun:test";
import { choosePorts } from "../../../../../../apps/cli/up/hosts/choose-port.ts";
import { planParts } from "../../../../../../apps/cli/up/plan/plan.ts";
import { instanceParts } from "../../../../../support/cli/instance-parts.ts";
import { sampleConfig, sampleInput } from "../../../../../support/cli/sample-plan.ts";

const text = `version: '1.0'
models: { local: { provider: openai, base_url: "http://localhost:1/v1", model: some } }
agents:
  one: { image: some/image:1, command: [run], model: local, egress: [example.com] }
`;

test("Redis, the gateway and the recorder keep the ports on which they listen, and get free ones of their own before that", async () => {
  const plans = planParts(sampleInput(sampleConfig(text)));
  const { redis, gateway, recorder, ...others } = await choosePorts(undefined, plans);
  expect(others).toEqual({});
  expect(Math.min(redis ?? 0, recorder ?? 0)).toBeGreaterThan(0);
  expect(gateway).toBeGreaterThan(0);
  expect(new Set([redis, gateway, recorder]).size).toBe(3);
  // Any connection of this machine may take one above.
  expect(Math.max(redis ?? 0, gateway ?? 0, recorder ?? 0)).toBeLessThan(32_768);
  const parts = instanceParts("demo", "/home/ada/doors", "containers");
  const [first] = parts.containers;
  if (first === undefined) throw new Error("no container");
  const labels = { ...first.labels, component: "gateway" } as const;
  const listening = { ...first, labels, ports: [{ port: 8080, hostPort: 40_100 }] };
  const before = { ...parts, containers: [...parts.containers, listening] };
  expect((await choosePorts(before, plans)).gateway).toBe(40_100);
});
