// Whose is what has no labels? Its name says, where it is one that Sett gives.
import { expect, test } from "bun:test";
import { identifyPart } from "../../../../lib/runtime/identify-part.ts";

const named = (sort: "volume" | "network", name: string, labels?: Record<string, string>) => {
  const { instance, component, ...rest } = identifyPart(sort, name, labels) ?? {};
  return instance === undefined
    ? undefined
    : [String(instance), component, "agent" in rest ? String(rest.agent) : ""].join(" ");
};

test("what has no labels is known by a name that Sett gives", () => {
  expect(named("volume", "sett-demo-record")).toBe("demo record ");
  expect(named("volume", "sett-demo.gateway.coder")).toBe("demo socket ");
  expect(named("volume", "sett-demo.api")).toBe("demo api-files ");
  expect(named("volume", "sett-demo.secrets.coder")).toBe("demo secrets coder");
  expect(named("volume", "sett-my-demo-blackboard")).toBe("my-demo blackboard ");
  expect(named("volume", "sett-demo-cub-0123456789ab")).toBe("demo carrier ");
  expect(named("volume", "sett-demo-workspace-coder.2")).toBe("demo workspace coder");
  expect(named("volume", "sett-demo-workspace-coder.upper")).toBe("demo workspace coder");
  expect(named("volume", "sett-demo.layer")).toBe("demo layer ");
  expect(named("volume", "sett-demo.layer.0123456789ab-1")).toBe("demo layer ");
  expect(named("network", "sett-demo")).toBe("demo network ");
});

test("the data of an instance is not taken for another one's workspace", () => {
  expect(named("volume", "sett-a-workspace-b-blackboard")).toBe("a-workspace-b blackboard ");
});

test("other names, and what carries an instance's label, are not judged by their names", () => {
  for (const name of [
    "sett-demo.lock",
    "sett-demo_default",
    "other-demo-redis",
    "sett-Demo-redis",
    "redis",
  ])
    for (const sort of ["volume", "network"] as const) expect(named(sort, name)).toBeUndefined();
  const labels = { "dev.sett.instance": "other" };
  expect(named("volume", "sett-demo-record", labels)).toBeUndefined();
});
