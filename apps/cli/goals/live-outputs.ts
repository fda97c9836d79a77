// `--live`: what commands are printing, beside the events. It comes from the logs of the agents,
// which the runtime has, or the API.
import { followRemoteLog } from "../../../lib/client/remote/follow-remote-log.ts";
import { apiOf } from "../../../lib/client/remote/instance.ts";
import { RuntimeLogs } from "../../../lib/logs/runtime-logs.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { AgentName, GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { parseJson } from "../../../lib/model/json.ts";
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
  /** Unix time in ms from which on lines are shown; undefined: from now on. */
  sinceMs?: number;
  seen?: SeenLogs;
  /** Takes lines that have begun, such as progress bars: `out` draws them below what it writes. */
  onBegun?: ((rows: string[]) => void) | undefined;
};

/** Knows how far the logs of the agents were read. */
export class SeenLogs {
  readonly #without = new Set<string>();
  readonly #ended = new Set<string>();

  /** The agent is a person, or runs elsewhere. */
  addWithout(agent: string): void {
    this.#without.add(agent);
  }

  /** Any line of a log. */
  add(text: string): void {
    const { msg, claim_id }: { msg?: unknown; claim_id?: unknown } = Object(parseJson(text));
    if (commandEnded.test(String(msg))) this.#ended.add(String(claim_id));
  }

  /** Whether what the agent's command has printed for this claim was read to its end. */
  isWhole(agent: string, claim: string): boolean {
    return this.#without.has(agent) || this.#ended.has(claim);
  }
}

/** The cub says one of these after the last line of a command. */
const commandEnded = /^Tool execution (?:completed|failed|timeout)$/;

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
    const { instance, agents, running, nowMs } = await look(shell, wanted);
    const { sinceMs = nowMs, seen = new SeenLogs() } = wanted;
    const open = await opener(shell, instance, signal);
    const hasColours = out.isTerminal && out.style.red("x") !== "x";
    const rows = new OutputRows({ out, hasColours, isAlone: false });
    const isOfNow = ({ claim_id, time }: OutputLine) =>
      running.has(claim_id) || Date.parse(time) >= sinceMs;
    const show = async (agent: AgentName) => {
      const texts = await open(agent);
      if (texts === undefined) return seen.addWithout(agent);
      for await (const text of texts) {
        seen.add(text);
        const line = readOutputLine(text);
        if (line === undefined || !isOfNow(line)) continue;
        const goal = wanted.goal?.();
        if (goal !== undefined && line.goal_id !== goal) continue;
        const written =
          wanted.format === "jsonl" ? `${JSON.stringify(jsonOf(line))}\n` : rows.add(line);
        wanted.onBegun?.(rows.begun());
        if (written !== "" || wanted.onBegun !== undefined) await out.write(written);
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
  const nowMs = await board.time();
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
    nowMs,
  };
}

type Open = (agent: AgentName) => Promise<AsyncIterable<string> | undefined>;

/** Undefined of one that is a person, or runs elsewhere: it has no log. */
async function opener(shell: Shell, instance: InstanceName, signal: AbortSignal): Promise<Open> {
  const api = apiOf(shell.env);
  const quiet = { away: () => {}, back: () => {} };
  if (api !== undefined)
    return async (agent) => followRemoteLog(api, { part: agent, tail: readBefore }, quiet, signal);
  const logs = new RuntimeLogs((await runtimeOf(shell, instance)).observe, instance, quiet);
  return (agent) => logs.read(agent, { tail: readBefore, follow: true, signal });
}
