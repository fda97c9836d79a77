import { expect, test } from "bun:test";
import {
  answersWhenReady,
  awaitPart,
  nextHeartbeat,
  PartFailed,
} from "../../../../../../apps/cli/up/apply/readiness.ts";
import type { PersonBlackboard } from "../../../../../../lib/blackboard/port/holders.ts";
import type { AgentStatus } from "../../../../../../lib/model/agent.ts";
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
  const [service] = samplePlan(sampleConfig(`version: '1.0'\n${agents}\n`)).services;
  if (service === undefined) throw new Error("There is a service.");
  await answersWhenReady({ observe }, service, signal);
  expect(names).toEqual(Array(3).fill(service.spec.name));
});

type Beat = Partial<AgentStatus>;

/** `answers`: an error is thrown. */
function boardWith(answers: (Error | Beat)[]): PersonBlackboard {
  const listStatuses = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return new Map(answer === undefined ? [] : [[part.agent, answer]]);
  };
  return { listStatuses } as unknown as PersonBlackboard;
}
const part = { agent: AgentName.parse("coder"), container: "sett-demo-agent-coder" };
const { signal } = new AbortController();
const problem = "A command could reach the cluster's API server.";

test("what Redis refuses ends it at once", async () => {
  const refused = new SettError("blackboard-refused", "Redis refused a command.");
  const ready = await nextHeartbeat(boardWith([{ at: 1 }, refused, { at: 2 }]), part);
  expect(await errorOf(() => ready(signal))).toBe(refused);
});

test("an agent that its container does not confine is not ready, and fails by its next heartbeat", async () => {
  const beats: Beat[] = [{ at: 1 }, { at: 1 }, { at: 2, state: "unconfined", problem }];
  const still = { at: 3, state: "unconfined", problem } as const;
  const later = await nextHeartbeat(boardWith([...beats, still]), part);
  const failure = new PartFailed(part.container, `coder takes no work: ${problem}`);
  await expect(later(signal)).rejects.toEqual(failure);
  // A network that is closed a moment later is closed.
  const left = [...beats, { at: 3, state: "idle" as const }];
  await (await nextHeartbeat(boardWith(left), part))(signal);
  expect(left).toEqual([]);
});

test("a problem that lasts is said once, and so is its end", async () => {
  const begun = performance.now();
  const said: (string | undefined)[] = [];
  let looks = 0;
  const waits = { state: { state: "created" }, problem: { sentence: "no room", isFinal: false } };
  const runs = { state: { state: "running" } };
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const observe = {
    find: async () => {
      if (said.length > 0) looks += 1;
      return (looks < 3 ? waits : runs) as ContainerPart;
    },
  } as Partial<Observe> as Observe;
  await awaitPart({ observe }, "redis", () => over, signal, {
    onProblem: (sentence) => {
      said.push(sentence);
      if (sentence === undefined) resolve();
    },
  });
  expect(said).toEqual(["no room", undefined]);
  expect(performance.now() - begun).toBeGreaterThan(3_000);
});
