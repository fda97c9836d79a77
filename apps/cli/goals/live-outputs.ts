// `--live`: what commands are printing, beside the events. It comes from the logs of the agents,
// which the runtime has, or the API.
import { followRemoteLog } from "../../../lib/client/remote/follow-remote-log.ts";
import { apiOf } from "../../../lib/client/remote/instance.ts";
import { RuntimeLogs } from "../../../lib/logs/runtime-logs.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { AgentName, GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { type OutputLine, readOutputLine } from "../../../lib/model/output-line.ts";
import { runtimeOf } from "../instance/runtimes.ts";
import { openSession } from "../instance/session.ts";
import { OutputRows } from "../render/output-rows.ts";
import type { Output } from "../terminal/output.ts";
import type { Shell } from "../terminal/shell.ts";

/** The lines of a log that are read for the beginning of what runs. */
const readBefore = 5_000;

type Wanted = {
  name: string | undefined;
  /** Undefined: of every goal. */
  goal?: () => GoalId | undefined;
  agent?: AgentName | undefined;
  format: "human" | "jsonl";
};

/**
 * Prints what is printed from now on, and before it, from the beginning, what has been printed by
 * commands that run now. Until the signal aborts. Never rejects: events go on without it.
 */
export async function printOutputs(
  shell: Shell,
  out: Output,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { instance, agents, running, sinceMs } = await look(shell, wanted);
    const open = await opener(shell, instance, signal);
    const hasColours = out.isTerminal && out.style.red("x") !== "x";
    const rows = new OutputRows({ out, hasColours, isAlone: false });
    const isOfNow = ({ claim_id, time }: OutputLine) =>
      running.has(claim_id) || Date.parse(time) >= sinceMs;
    const show = async (agent: AgentName) => {
      for await (const text of await open(agent)) {
        const line = readOutputLine(text);
        if (line === undefined || !isOfNow(line)) continue;
        const goal = wanted.goal?.();
        if (goal !== undefined && line.goal_id !== goal) continue;
        const written =
          wanted.format === "jsonl" ? `${JSON.stringify(jsonOf(line))}\n` : rows.add(line);
        if (written !== "") await out.write(written);
      }
    };
    const warn = (error: unknown) => {
      if (!signal.aborted)
        shell.messages.warn(`What commands print cannot be shown: ${messageOf(error)}`);
    };
    await Promise.all(agents.map((agent) => show(agent).catch(warn)));
  } catch (error) {
    if (!signal.aborted)
      shell.messages.warn(`What commands print cannot be shown: ${messageOf(error)}`);
  }
}

function jsonOf({ msg: _, ...line }: OutputLine) {
  return { type: "output", ...line };
}

async function look(shell: Shell, { name, agent: wanted }: Wanted) {
  await using session = await openSession(shell, name);
  const { board } = session;
  const sinceMs = await board.time();
  const newest = { from: 0, count: 1_000 };
  const [registered, ids] = await Promise.all([board.listAgents(), board.listOpenClaims(newest)]);
  const open = await board.readClaims(ids);
  const running = open.filter(({ grants }) => grants.some(({ state }) => state === "running"));
  return {
    instance: board.instance,
    agents: registered
      .map(({ name: agent }) => agent)
      .filter((agent) => wanted === undefined || agent === wanted),
    running: new Set<string>(running.map(({ claim }) => claim.id)),
    sinceMs,
  };
}

type Open = (agent: AgentName) => Promise<AsyncIterable<string>>;

/** One that is a person, or runs elsewhere, has no log. */
async function opener(shell: Shell, instance: InstanceName, signal: AbortSignal): Promise<Open> {
  const api = apiOf(shell.env);
  const quiet = { away: () => {}, back: () => {} };
  if (api !== undefined)
    return async (agent) => followRemoteLog(api, { part: agent, tail: readBefore }, quiet, signal);
  const logs = new RuntimeLogs((await runtimeOf(shell, instance)).observe, instance);
  return async (agent) =>
    (await logs.read(agent, { tail: readBefore, follow: true, signal })) ?? none();
}

async function* none(): AsyncGenerator<string> {}
