// sett logs: what the container of one part has written.

import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { ContainerPart, ContainerRuntime, InstanceParts } from "../../../lib/runtime/port.ts";
import { runtimeOf } from "../instance/runtimes.ts";
import { findLogs } from "../logs/find-logs.ts";
import { followContainer, nothingTold, type Told, toldUpTo } from "../logs/follow-container.ts";
import { asOneLog, type KeptLog } from "../logs/kept-logs.ts";
import { followWorkers, hasWorkers, inOrderOfTime, type WorkerLogs, workerLogs } from "../logs/worker-logs.ts";
import { nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { logLine } from "../render/log-line.ts";
import type { Shell } from "../terminal/shell.ts";
import { wrap } from "../text/wrap.ts";

/** What stands before the words of a line. */
const timeWidth = "00:00:00  ".length;

/** How many lines go out in one piece at most. */
const linesAtOnce = 500;

export const logs = defineCommand({
  name: "logs",
  description: "show what an agent, the orchestrator or Redis has logged",
  details:
    "Also of containers that have stopped, and of an agent's workers. Of containers that `sett up` or `sett down` has removed the last 200 lines are\n" +
    "kept, also while nothing runs. On a terminal the JSON lines are told in words; elsewhere they stay as they are.",
  args: {
    part: { type: "positional", required: true, description: "an agent's name, orchestrator or redis" },
    follow: { type: "boolean", alias: "f", description: "go on with what is logged, until Ctrl-C" },
    tail: { type: "string", valueHint: "LINES", description: "only the last so many lines" },
    json: { type: "boolean", description: "the lines as they are, also on a terminal" },
    name: nameArgument,
  },
  examples: [
    "sett logs coder",
    "sett logs orchestrator --tail 20 --follow",
    'sett logs coder --json | jq -r "select(.level == \\"error\\").msg"',
  ],
  async run(args, shell) {
    const tail = args.tail === undefined ? undefined : countOf(args.tail);
    const runtime = await runtimeOf(shell, args.name);
    const found = await findLogs(runtime, shell, args.name, args.part);
    const isForPeople = shell.out.isTerminal && !args.json;
    const inWords = (line: string) => wrap(logLine(line, shell.out.style), { columns: shell.out.columns, indent: timeWidth });
    const show = (line: string) => `${isForPeople ? inWords(line) : line}\n`;
    const { container, parts, kept } = found;
    if (container !== undefined) {
      await (args.follow ? follow : print)({ runtime, parts, container, kept, tail, show, shell });
      return;
    }
    await writeAll(lastOf(asOneLog(kept, found.workers), tail), { show, shell });
    shell.messages.note(`${found.why.message} This is what was kept.`);
    return;
  },
});

type Order = {
  runtime: ContainerRuntime;
  parts: InstanceParts;
  container: ContainerPart;
  /** Of those before it. */
  kept: KeptLog[];
  tail: number | undefined;
  show: (line: string) => string;
  shell: Shell;
};

/** What a container has written so far; where it is the controller of workers, theirs too. */
async function print(order: Order): Promise<void> {
  const { runtime, parts, container, kept, tail } = order;
  const { labels } = container;
  const theirs =
    labels.component === "agent"
      ? await workerLogs({ runtime, parts, agent: labels.agent }).catch(leftOut(order, undefined))
      : undefined;
  if (theirs !== undefined && theirs.lines.length > 0) return void (await printWith(theirs, order));
  const own = runtime.containers.logs(container.id, { tail });
  const earlier = asOneLog(kept, []);
  if (earlier.length === 0 || tail === undefined) {
    await writeAll(earlier, order);
    return await writeAll(own, order);
  }
  const lines = earlier;
  for await (const { line } of own) lines.push(line);
  await writeAll(lastOf(lines, tail), order);
}

/** Gives up to where the container's own log was told. */
async function printWith(theirs: WorkerLogs, order: Order): Promise<Told> {
  const own: string[] = [];
  let told = nothingTold;
  for await (const line of order.runtime.containers.logs(order.container.id)) {
    own.push(line.line);
    told = toldUpTo(line, told);
  }
  const lines = inOrderOfTime(...order.kept.map((log) => log.lines), own, theirs.lines);
  await writeAll(lastOf(lines, order.tail), order);
  return told;
}

/** Until the container ends, or somebody interrupts. */
async function follow(order: Order): Promise<void> {
  const { runtime, parts, container, tail, show, shell } = order;
  const { labels } = container;
  const tell = (line: string) => shell.out.write(show(line));
  const tellAll = async (lines: AsyncIterable<{ line: string }>) => {
    for await (const { line } of lines) await tell(line);
  };
  const isController =
    labels.component === "agent" && (await hasWorkers({ parts, agent: labels.agent }).catch(leftOut(order, false)));
  if (!isController) {
    await writeAll(await partOfTail(order), order);
    return await tellAll(followContainer(runtime, container.id, { tail }, shell.interrupted));
  }
  const place = { runtime, parts, agent: labels.agent };
  const theirs = await workerLogs(place);
  const told = await printWith(theirs, order);
  const over = new AbortController();
  const signal = AbortSignal.any([shell.interrupted, over.signal]);
  const workers = followWorkers(place, theirs, tell, shell, signal);
  await tellAll(followContainer(runtime, container.id, { told }, signal)).finally(() => over.abort());
  await workers;
}

/** What of earlier containers still belongs to the last so many lines. */
async function partOfTail({ runtime, container, kept, tail }: Order): Promise<string[]> {
  const earlier = asOneLog(kept, []);
  if (earlier.length === 0 || tail === undefined) return earlier;
  let own = 0;
  for await (const _line of runtime.containers.logs(container.id, { tail })) own += 1;
  return lastOf(earlier, tail - own);
}

function leftOut<Instead>({ shell }: Order, instead: Instead): (error: unknown) => Instead {
  return (error) => {
    shell.messages.warn(`What workers have logged is left out: ${messageOf(error)}`);
    return instead;
  };
}

function countOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SettError("usage", `--tail takes a number of lines, not \`${text}\`.`, { hint: "For example: --tail 20" });
}

function lastOf(lines: string[], tail = lines.length): string[] {
  return lines.slice(Math.max(0, lines.length - tail));
}

async function writeAll(
  lines: AsyncIterable<{ line: string }> | Iterable<string>,
  { show, shell: { out } }: Pick<Order, "show" | "shell">,
): Promise<void> {
  let waiting: string[] = [];
  for await (const each of lines) {
    waiting.push(show(typeof each === "string" ? each : each.line));
    if (waiting.length < linesAtOnce) continue;
    await out.write(waiting.join(""));
    waiting = [];
  }
  if (waiting.length > 0) await out.write(waiting.join(""));
}
