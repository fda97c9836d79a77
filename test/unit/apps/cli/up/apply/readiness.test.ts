import { expect, test } from "bun:test";
import { answersWhenReady, nextHeartbeat } from "../../../../../../apps/cli/up/apply/readiness.ts";
import type { PersonBlackboard } from "../../../../../../lib/blackboard/port/holders.ts";
import { SettError } from "../../../../../../lib/model/errors.ts";
import { AgentName } from "../../../../../../lib/model/ids.ts";
import type { ContainerPart, Observe } from "../../../../../../lib/runtime/port.ts";
import { sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";
import { errorOf } from "../../../../../support/error-of.ts";

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

/** `answers`: an error is thrown, a time is that of a heartbeat. */
function boardWith(answers: (Error | number)[]): PersonBlackboard {
  const listStatuses = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return new Map(answer === undefined ? [] : [[agent, { at: answer }]]);
  };
  return { listStatuses } as unknown as PersonBlackboard;
}
const agent = AgentName.parse("coder");

test("what Redis refuses ends it at once", async () => {
  const refused = new SettError("blackboard-refused", "Redis refused a command.");
  const ready = await nextHeartbeat(boardWith([1, refused, 2]), agent);
  expect(await errorOf(() => ready(new AbortController().signal))).toBe(refused);
});
