// sett logs: what the container of one part has written.

import { nearestWord } from "../../../lib/config/nearest-word.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { ContainerPart, ContainerRuntime, InstanceParts } from "../../../lib/runtime/port.ts";
import { pause } from "../../../lib/service/pause.ts";
import { nameArgument } from "../arguments.ts";
import { defineCommand } from "../command.ts";
import { findInstance, hasContainers } from "../find-instance.ts";
import { partName } from "../parts.ts";
import { logLine } from "../render/log-line.ts";
import { runtimeOf } from "../runtimes.ts";
import type { Shell } from "../shell.ts";
import { inOrderOfTime, workerLines } from "../worker-logs.ts";

const restartPollMs = 200;
/** How many lines go out in one piece at most. */
const linesAtOnce = 500;

export const logs = defineCommand({
  name: "logs",
  description: "show what an agent, the orchestrator or Redis has logged",
  details:
    "Also of containers that have stopped, and of an agent's workers; --follow follows its own container. On a terminal the JSON lines are told in words; elsewhere they stay as they are.",
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
    const parts = await findInstance(runtime, shell, args.name, hasContainers);
    const container = partOf(parts, args.part);
    const show = shell.out.isTerminal && !args.json ? (line: string) => logLine(line, shell.out.style) : (line: string) => line;
    const lines = args.follow
      ? followThroughRestarts(runtime, container, tail, shell.interrupted)
      : linesOf(runtime, parts, container, tail, shell);
    await print(lines, show, args.follow ? 1 : linesAtOnce, shell);
    return;
  },
});

/** What a container has written so far; where it is the controller of workers, theirs too. */
async function* linesOf(
  runtime: ContainerRuntime,
  parts: InstanceParts,
  container: ContainerPart,
  tail: number | undefined,
  { messages }: Shell,
): AsyncGenerator<{ line: string }> {
  const { labels } = container;
  const theirs =
    labels.component !== "agent"
      ? []
      : await workerLines(runtime, parts, labels.agent).catch((error: unknown) => {
          messages.warn(`What workers have logged is left out: ${messageOf(error)}`);
          return [];
        });
  if (theirs.length === 0) return yield* runtime.containers.logs(container.id, tail === undefined ? {} : { tail });
  const own: string[] = [];
  for await (const { line } of runtime.containers.logs(container.id)) own.push(line);
  const lines = inOrderOfTime(own, theirs);
  for (const line of tail === undefined ? lines : lines.slice(Math.max(0, lines.length - tail))) yield { line };
}

function countOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SettError("usage", `--tail takes a number of lines, not \`${text}\`.`, { hint: "For example: --tail 20" });
}

function partOf({ instance, containers }: InstanceParts, name: string): ContainerPart {
  const found = containers.find((container) => partName(container) === name || container.name === name);
  if (found !== undefined) return found;
  const known = containers.map(partName);
  const nearest = nearestWord(name, known);
  throw new SettError("agent-not-found", `${instance} has no part named ${name}. It has ${known.join(", ")}.`, {
    hint: nearest === undefined ? "An agent's name is the one in sett.yml." : `Did you mean \`sett logs ${nearest}\`?`,
  });
}

async function print(
  lines: AsyncIterable<{ line: string }>,
  show: (line: string) => string,
  atOnce: number,
  { out }: Shell,
): Promise<void> {
  let waiting: string[] = [];
  for await (const { line } of lines) {
    waiting.push(`${show(line)}\n`);
    if (waiting.length < atOnce) continue;
    await out.write(waiting.join(""));
    waiting = [];
  }
  if (waiting.length > 0) await out.write(waiting.join(""));
}

/** A container that its restart policy starts again goes on in the same log; nothing is told twice. */
async function* followThroughRestarts(
  runtime: ContainerRuntime,
  container: ContainerPart,
  tail: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ line: string }> {
  let last = "";
  let atLast = 0;
  while (!signal.aborted) {
    const resumed = last === "" ? (tail === undefined ? {} : { tail }) : { since: Math.floor(Date.parse(last) / 1000) };
    let toSkip = last;
    let skipped = 0;
    for await (const line of runtime.containers.logs(container.id, { follow: true, signal, ...resumed })) {
      // Resuming begins with the whole second of the last line.
      if (toSkip !== "" && line.time < toSkip) continue;
      if (toSkip !== "" && line.time === toSkip && skipped < atLast) {
        skipped += 1;
        continue;
      }
      toSkip = "";
      atLast = line.time === last ? atLast + 1 : 1;
      last = line.time;
      yield line;
    }
    if (signal.aborted) return;
    const state = (await runtime.containers.find(container.id))?.state.state;
    if (state === undefined || state === "exited" || state === "created") return;
    await pause(restartPollMs, signal);
  }
}
