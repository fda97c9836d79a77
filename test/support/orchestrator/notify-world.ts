// An orchestrator in this process that has whom to tell, and a worker that does with a goal what the goal says.
import { expect } from "bun:test";
import { randomUUID } from "node:crypto";
import { createOrchestratorMetrics } from "../../../apps/orchestrator/metrics.ts";
import { Orchestrator } from "../../../apps/orchestrator/orchestrator.ts";
import { type Clock, systemClock } from "../../../lib/async/clock.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { type Hook, NoticeKind } from "../../../lib/model/notify.ts";
import { defaultPolicy } from "../../../lib/model/policy.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import type { Bench } from "../blackboard/bench.ts";
import { sampleAgent, sampleArtefact } from "../records/sample.ts";
import { waitFor } from "../wait-for.ts";
import { playAgent, type Role } from "../world/played-agent.ts";
import type { HookReceiver } from "./hook-receiver.ts";

export const secret = "a secret that no log shows";

export function hookOf(receiver: HookReceiver, over: Partial<Hook> = {}): Hook {
  return { url: receiver.url, secret, on: [...NoticeKind.options], remind_every_ms: 3_600_000, ...over };
}

/** What the worker does with a goal is what the goal says. */
export const worker: Role = {
  bid: (artefact) => (artefact.type === "GoalDefined" && artefact.payload !== "unwanted" ? "exclusive" : "ignore"),
  work: ({ payload }) => {
    if (payload === "fail") return { structural_type: "Failure", type: "ToolExecutionFailure", payload: "exit 1" };
    if (payload === "draft") return { type: "Draft", payload: "A first draft" };
    if (payload === "settle") return { type: "Report" };
    if (payload === "ask") return { structural_type: "Question", type: "Question", payload: "Which colour?" };
    return { structural_type: "Terminal", type: "Released", payload: "1.2.0" };
  },
};

export async function createWorld(open: () => Promise<Bench>) {
  const bench = await open();
  const { board } = bench;
  const stop = new AbortController();
  const running: Promise<unknown>[] = [];
  const log: string[] = [];
  const join = async (roles: Record<string, Role>, people: AgentRegistration[] = []) => {
    const agents = [...Object.keys(roles).map((name) => sampleAgent(name)), ...people];
    await board.registerAgents(agents, "person:test", { exact: true });
    for (const [name, role] of Object.entries(roles))
      running.push(playAgent(await bench.another(), name, role, stop.signal).catch(() => {}));
  };
  await join({ worker });
  return {
    board,
    log,
    logged: (words: string, count = 1) =>
      waitFor(`"${words}" in the log`, () => log.filter((line) => line.includes(words)).length >= count),
    join,
    /** `kill` is the end of a process as far as the blackboard can tell: its leader lease is left, what it had in hand is dropped. */
    start: async (hooks: Hook[], over: { holder?: string; timeoutMs?: number; clock?: Clock } = {}) => {
      const own = new AbortController();
      const metrics = createOrchestratorMetrics();
      const orchestrator = new Orchestrator({
        board: await bench.another(),
        policy: defaultPolicy,
        holder: over.holder ?? "one",
        clock: over.clock ?? systemClock,
        newId: randomUUID,
        log: createJsonLog((line) => log.push(line), systemClock.now),
        metrics,
        notify: { hooks, ...(over.timeoutMs !== undefined && { timeoutMs: over.timeoutMs }) },
      });
      const ended = orchestrator.run(AbortSignal.any([own.signal, stop.signal]));
      running.push(ended);
      return {
        metrics,
        kill: async () => {
          own.abort();
          await ended;
        },
      };
    },
    state: async (payload: string): Promise<Artefact> => {
      const goal = sampleArtefact({ payload });
      await board.createArtefact(goal, "person:Ada");
      return goal;
    },
    completed: (goal: Artefact) =>
      waitFor("the claim to end", async () => {
        const claim = (await board.claimsOfArtefact(goal.id)).get("standard");
        return claim !== undefined && (await board.readClaim(claim))?.claim.status === "complete";
      }),
    answer: async (question: string, goal: Artefact) => {
      const [source] = (await board.listOpenQuestions()).filter((id) => id === question);
      if (source === undefined) throw new Error("no such question");
      const answer = sampleArtefact({
        structural_type: "Answer",
        type: "Answer",
        payload: "Green",
        source_artefacts: [source],
        goal_id: goal.goal_id,
      });
      expect(await board.answerQuestion(answer, "person:Ada")).toEqual({ outcome: "answered" });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running);
      await bench[Symbol.asyncDispose]();
    },
  };
}

export const told = (receiver: HookReceiver, goal: Artefact, count = 1) =>
  waitFor(`${count} messages about the goal "${goal.payload}"`, () => {
    const found = receiver.received.filter(({ body }) => body.goal.id === goal.id);
    return found.length >= count && found;
  });
