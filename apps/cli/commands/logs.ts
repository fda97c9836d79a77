// sett logs: shows the log of one part.

import type { ApiAddress } from "../../../lib/client/remote/api-client.ts";
import { followRemoteLog } from "../../../lib/client/remote/follow-remote-log.ts";
import { apiOf } from "../../../lib/client/remote/instance.ts";
import { openRemoteLog, type WantedLog } from "../../../lib/client/remote/remote-log.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";
import {
  advance,
  followContainer,
  type LogPosition,
  logStart,
} from "../../../lib/logs/follow-container.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { readOutputLine } from "../../../lib/model/output-line.ts";
import type { ContainerPart, InstanceParts, Runtime } from "../../../lib/runtime/port.ts";
import { runtimeOf } from "../instance/runtimes.ts";
import { findLogs } from "../logs/find-logs.ts";
import { asOneLog, type KeptLog } from "../logs/kept-logs.ts";
import {
  followWorkers,
  hasWorkers,
  inOrderOfTime,
  type WorkerLogs,
  workerLogs,
} from "../logs/worker-logs.ts";
import { nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { logLine } from "../render/log-line.ts";
import { OutputRows } from "../render/output-rows.ts";
import type { Shell } from "../terminal/shell.ts";

/** The width of the time at the beginning of a line. */
const timeWidth = "00:00:00  ".length;

/** How many lines are written at once. */
const linesAtOnce = 500;

export const logs = defineCommand({
  name: "logs",
  description: "show the log of an agent, the orchestrator, the gateway, Redis or the API",
  details: [
    "It includes stopped containers, and an agent's workers. sett keeps the last 200 lines of each container that `sett up`",
    "or `sett down` removes, and shows them also while nothing runs. On a terminal it prints the JSON lines in a readable",
    "form; elsewhere unchanged.",
  ].join("\n"),
  args: {
    part: {
      type: "positional",
      required: true,
      description: "an agent's name, orchestrator, gateway, redis or api",
    },
    follow: { type: "boolean", alias: "f", description: "follow the log until Ctrl-C" },
    tail: { type: "string", valueHint: "LINES", description: "only the last LINES lines" },
    json: { type: "boolean", description: "print the JSON lines unchanged, also on a terminal" },
    name: nameArgument,
  },
  examples: [
    "sett logs coder",
    "sett logs orchestrator --tail 20 --follow",
    'sett logs coder --json | jq -r "select(.level == \\"error\\").msg"',
  ],
  async run(args, shell) {
    const tail = args.tail === undefined ? undefined : countOf(args.tail);
    const isForPeople = shell.out.isTerminal && !args.json;
    const hasColours = shell.out.style.red("x") !== "x";
    const rows = new OutputRows({ out: shell.out, hasColours, isAlone: args.follow });
    const readable = (line: string) => {
      const output = readOutputLine(line);
      if (output !== undefined) return rows.add(output);
      const { out } = shell;
      const text = wrap(logLine(line, out.style), { columns: out.columns, indent: timeWidth });
      return `${rows.leave()}${text}\n`;
    };
    const show = (line: string) => (isForPeople ? readable(line) : `${line}\n`);
    const api = apiOf(shell.env);
    if (api !== undefined) {
      const wanted = { part: args.part, tail, follow: args.follow };
      const lines = args.follow
        ? followFrom(api, wanted, shell)
        : await openRemoteLog(api, wanted, shell.interrupted);
      for await (const line of lines) await shell.out.write(show(line));
      return;
    }
    const runtime = await runtimeOf(shell, args.name);
    const found = await findLogs(runtime, shell, args.name, args.part);
    const { container, parts, kept } = found;
    if (container !== undefined) {
      await (args.follow ? follow : print)({ runtime, parts, container, kept, tail, show, shell });
      return;
    }
    await writeAll(lastOf(asOneLog(kept, found.workers), tail), { show, shell });
    if (args.follow && found.demanded !== undefined) {
      const { agent, logs } = found.demanded;
      const printLine = (line: string) => shell.out.write(show(line));
      const place = { runtime, parts, agent };
      await followWorkers(place, logs, printLine, shell, shell.interrupted);
      return;
    }
    shell.messages.note(`${found.why.message} These are the kept lines of its log.`);
    return;
  },
});

function followFrom(
  api: ApiAddress,
  wanted: WantedLog,
  { messages, interrupted }: Shell,
): AsyncIterable<string> {
  const notes = {
    away: () => messages.warn("The API does not answer. Waiting until it does …"),
    back: () => messages.note("The API answers again."),
  };
  return followRemoteLog(api, wanted, notes, interrupted);
}

type Request = {
  runtime: Runtime;
  parts: InstanceParts;
  container: ContainerPart;
  /** The kept logs of earlier containers. */
  kept: KeptLog[];
  tail: number | undefined;
  show: (line: string) => string;
  shell: Shell;
};

/** Prints the log of a container so far, with the logs of its agent's workers. */
async function print(request: Request): Promise<void> {
  const { runtime, parts, container, kept, tail } = request;
  const { labels } = container;
  const ofWorkers =
    labels.component === "agent"
      ? await workerLogs({ runtime, parts, agent: labels.agent }).catch(
          warnAndUse(request, undefined),
        )
      : undefined;
  if (ofWorkers !== undefined && ofWorkers.lines.length > 0)
    return void (await printWith(ofWorkers, request));
  const own = runtime.observe.logs(container.id, { tail });
  const earlier = asOneLog(kept, []);
  if (earlier.length === 0 || tail === undefined) {
    await writeAll(earlier, request);
    return await writeAll(own, request);
  }
  const lines = earlier;
  for await (const { line } of own) lines.push(line);
  await writeAll(lastOf(lines, tail), request);
}

/** Returns the position in the container's own log up to which it was printed. */
async function printWith(ofWorkers: WorkerLogs, request: Request): Promise<LogPosition> {
  const own: string[] = [];
  let position = logStart;
  for await (const line of request.runtime.observe.logs(request.container.id)) {
    own.push(line.line);
    position = advance(line, position);
  }
  const lines = inOrderOfTime(...request.kept.map((log) => log.lines), own, ofWorkers.lines);
  await writeAll(lastOf(lines, request.tail), request);
  return position;
}

/** Prints until the container ends, or until it is interrupted. */
async function follow(request: Request): Promise<void> {
  const { runtime, parts, container, tail, show, shell } = request;
  const { labels } = container;
  const printLine = (line: string) => shell.out.write(show(line));
  const notes = {
    away: ({ message }: Error) => shell.messages.warn(`${message} Waiting until it answers …`),
    back: () => shell.messages.note("The Docker Engine answers again."),
  };
  const printAll = async (
    range: { tail?: number | undefined; from?: LogPosition },
    signal: AbortSignal,
  ) => {
    const lines = followContainer(runtime.observe, container.id, { ...range, notes }, signal);
    for await (const { line } of lines) await printLine(line);
  };
  const isController =
    labels.component === "agent" &&
    (await hasWorkers({ parts, agent: labels.agent }).catch(warnAndUse(request, false)));
  if (!isController) {
    await writeAll(await earlierTail(request), request);
    return await printAll({ tail }, shell.interrupted);
  }
  const place = { runtime, parts, agent: labels.agent };
  const ofWorkers = await workerLogs(place);
  const from = await printWith(ofWorkers, request);
  const over = new AbortController();
  const signal = AbortSignal.any([shell.interrupted, over.signal]);
  const workers = followWorkers(place, ofWorkers, printLine, shell, signal);
  await printAll({ from }, signal).finally(() => over.abort());
  await workers;
}

/** The lines of earlier containers that belong to the last `tail` lines. */
async function earlierTail({ runtime, container, kept, tail }: Request): Promise<string[]> {
  const earlier = asOneLog(kept, []);
  if (earlier.length === 0 || tail === undefined) return earlier;
  let own = 0;
  for await (const _line of runtime.observe.logs(container.id, { tail })) own += 1;
  return lastOf(earlier, tail - own);
}

function warnAndUse<Fallback>(
  { shell }: Request,
  fallback: Fallback,
): (error: unknown) => Fallback {
  return (error) => {
    shell.messages.warn(`The logs of workers are left out: ${messageOf(error)}`);
    return fallback;
  };
}

function countOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SettError("usage", `--tail takes a number of lines, not \`${text}\`.`, {
    hint: "For example: --tail 20",
  });
}

function lastOf(lines: string[], tail = lines.length): string[] {
  return lines.slice(Math.max(0, lines.length - tail));
}

async function writeAll(
  lines: AsyncIterable<{ line: string }> | Iterable<string>,
  { show, shell: { out } }: Pick<Request, "show" | "shell">,
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
