import { expect, test } from "bun:test";
import { answersWhenReady } from "../../../../../../apps/cli/up/apply/readiness.ts";
import type { ContainerPart, Observe } from "../../../../../../lib/runtime/port.ts";
import { sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";

test("a service that answers is ready once the cluster itself says that it runs", async () => {
  const names: string[] = [];
  const states = ["created", "created", "running"];
  const observe = {
    exec: async () => ({ exitCode: 0, stdout: "", stderr: "" }),
    find: async (name: string) => {
      names.push(name);
      return { state: { state: states[names.length - 1] ?? "running" } } as ContainerPart;
    },
  } as Partial<Observe> as Observe;
  const agents = "agents: { one: { image: some/image:1, command: [run] } }";
  const [part] = samplePlan(sampleConfig(`version: '1.0'\n${agents}\n`)).services;
  if (part === undefined) throw new Error("There is a service.");
  await answersWhenReady({ observe }, part, new AbortController().signal);
  expect(names).toEqual(Array(3).fill(part.spec.name));
});
