// A cub in this process on a blackboard in memory, with a tool that is a function of the test.
import { Cub } from "../../../apps/cub/cub.ts";
import type { Deps } from "../../../apps/cub/program/deps.ts";
import { OwnRegistration } from "../../../apps/cub/program/own-registration.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { byMail } from "../../../lib/blackboard/mail/by-mail.ts";
import type { AgentBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { ToolInput } from "../../../lib/model/tool-contract.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { blackboardInMemory } from "../blackboard/in-memory.ts";
import { sampleAgent } from "../records/sample.ts";
import { waitFor } from "../wait-for.ts";
import { cubDeps } from "../world/deps.ts";
import { exited, outcomeOf, type Tool } from "../world/tool.ts";
import { StandIn } from "./played-orchestrator.ts";

export type LogLine = { level: string; msg: string; [field: string]: unknown };

export async function cubScene(
  options: {
    agent?: Partial<AgentRegistration>;
    tool?: Tool;
    over?: Partial<Deps>;
    wrap?: (board: AgentBlackboard) => AgentBlackboard;
  } = {},
) {
  const memory = blackboardInMemory({ instance: InstanceName.parse("demo") });
  const agent = sampleAgent("coder", options.agent);
  const standIn = new StandIn(await memory.open());
  await standIn.begin(agent);
  const lines: LogLine[] = [];
  const inputs: ToolInput[] = [];
  const wrap = options.wrap ?? ((board) => board);
  const tool =
    options.tool ??
    (() => ({ artefact_type: "Report", artefact_payload: "done", summary: "Did it." }));
  const deps = cubDeps({
    board: wrap(byMail(await memory.open(), { agent: agent.name })),
    registration: new OwnRegistration(agent),
    runTool: async ({ stdin, signal }) => {
      const input = ToolInput.parse(JSON.parse(stdin));
      inputs.push(input);
      return outcomeOf(await tool(input, signal));
    },
    runBidCommand: async () => exited("ignore"),
    log: createJsonLog((line) => lines.push(JSON.parse(line)), systemClock.now),
    ...options.over,
  });
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  return {
    memory,
    agent: agent.name,
    standIn,
    deps,
    lines,
    /** Holds what the tool was given, run by run. */
    inputs,
    messages: () => lines.map((line) => line.msg),
    stop,
    start(shutdownTimeoutMs = 30_000): { cub: Cub; ended: Promise<void> } {
      const cub = new Cub(deps, { shutdownTimeoutMs });
      running = cub.run(stop.signal);
      return { cub, ended: running };
    },
    /** Resolves when the cub hears of each claim that is announced. */
    listening: () => waitFor("the cub to listen", () => memory.hand.ring() > 0),
    async [Symbol.asyncDispose]() {
      stop.abort("the test is over");
      await running?.catch(() => undefined);
      await deps.board[Symbol.asyncDispose]();
      await standIn[Symbol.asyncDispose]();
      await standIn.board[Symbol.asyncDispose]();
    },
  };
}

/** A tool that answers once its test calls `endWork`. */
export function heldTool() {
  const { promise: workEnds, resolve: endWork } = Promise.withResolvers<void>();
  const tool: Tool = async () => {
    await workEnds;
    return { artefact_type: "Report", artefact_payload: "", summary: "" };
  };
  return { tool, endWork };
}
