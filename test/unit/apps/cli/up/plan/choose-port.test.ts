import { expect, test } from "bun:test";
import { choosePorts } from "../../../../../../apps/cli/up/plan/choose-port.ts";
import { instanceParts } from "../../../../../support/cli/instance-parts.ts";

test("Redis and the gateway keep the ports on which they listen, and get free ones of their own before that", async () => {
  const { redis, gateway } = await choosePorts(undefined);
  expect(redis).toBeGreaterThan(0);
  expect(gateway).toBeGreaterThan(0);
  expect(gateway).not.toBe(redis);
  const parts = instanceParts("demo", "/home/ada/doors", "containers");
  const [first] = parts.containers;
  if (first === undefined) throw new Error("no container");
  const labels = { ...first.labels, component: "gateway" } as const;
  const listening = { ...first, labels, ports: [{ port: 8080, hostPort: 40_100 }] };
  expect(
    (await choosePorts({ ...parts, containers: [...parts.containers, listening] })).gateway,
  ).toBe(40_100);
});
