// The logs of an instance's parts, read from the runtime itself.
import { merged } from "../async/merged.ts";
import { sleep } from "../async/sleep.ts";
import type { InstanceName } from "../model/ids.ts";
import { isAtWorkFor, lineOf } from "../runtime/log-line.ts";
import { partName } from "../runtime/part-name.ts";
import type { ContainerPart, LogLine, Observe } from "../runtime/port.ts";
import { type AwayNotes, followContainer } from "./follow-container.ts";
import type { LogRequest, LogSource } from "./log-source.ts";

/** How often to look for new workers. */
const pollMs = 500;
/** Without a bound the whole log of a part would be in memory. */
const maxTail = 10_000;

type Reading = Pick<Observe, "parts" | "find" | "logs">;

/** The parts are this instance's alone, whatever else the runtime has. */
export class RuntimeLogs implements LogSource {
  readonly #observe: Reading;
  readonly #instance: InstanceName;
  readonly #notes: AwayNotes | undefined;

  /** `notes`: as `followContainer`. */
  constructor(observe: Reading, instance: InstanceName, notes?: AwayNotes) {
    this.#observe = observe;
    this.#instance = instance;
    this.#notes = notes;
  }

  async names(): Promise<string[]> {
    return (await this.#containers()).map(partName);
  }

  async read(
    name: string,
    { tail = maxTail, follow = false, signal }: LogRequest,
  ): Promise<AsyncIterable<string> | undefined> {
    const containers = await this.#containers();
    const part = containers.find((container) => partName(container) === name);
    const count = Math.min(tail, maxTail);
    if (part === undefined) {
      // Nothing else runs for an agent that is on demand.
      const workers = workersOf(name, containers);
      return workers.length === 0 ? undefined : this.#past(workers, count, signal);
    }
    if (!follow) return this.#past([part, ...workersOfPart(part, containers)], count, signal);
    return part.labels.component === "agent"
      ? this.#followAll(part, count, signal)
      : this.#follow(part, count, signal);
  }

  async #containers(): Promise<ContainerPart[]> {
    return (await this.#observe.parts(this.#instance)).containers;
  }

  async *#past(
    parts: readonly ContainerPart[],
    tail: number,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    if (tail === 0) return;
    let newest: LogLine[] = [];
    // Workers are read one after the other: the lines of many would otherwise be in memory at the
    // same time.
    for (const part of parts) {
      const lines = await Array.fromAsync(
        this.#observe.logs(part.id, { tail, signal }),
        worded(part),
      ).catch(goneIsEmpty);
      newest = [...newest, ...lines]
        .toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
        .slice(-tail);
    }
    for (const { line } of newest) yield line;
  }

  async *#follow({ id }: ContainerPart, tail: number, signal: AbortSignal): AsyncGenerator<string> {
    const notes = this.#notes;
    const lines = followContainer(this.#observe, id, { tail, notes }, signal);
    for await (const { line } of lines) yield line;
  }

  /** The agent's container, and each worker as it comes. */
  async *#followAll(
    agent: ContainerPart,
    tail: number,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const seen = new Set<string>();
    const observe = this.#observe;
    const notes = this.#notes;
    const present = () => this.#containers();
    const workers = async function* () {
      let isFirst = true;
      for (; !either.aborted; await sleep(pollMs, either)) {
        for (const worker of workersOfPart(agent, await present().catch(() => []))) {
          const { id } = worker;
          if (seen.has(id)) continue;
          seen.add(id);
          const first = isFirst ? { tail } : {};
          yield wordedLines(worker, observe.logs(id, { follow: true, signal: either, ...first }));
        }
        isFirst = false;
      }
    };
    try {
      for await (const { line } of merged<LogLine>(
        followContainer(observe, agent.id, { tail, notes }, either),
        workers(),
      ))
        yield line;
    } finally {
      over.abort();
    }
  }
}

function workersOfPart(
  { labels }: ContainerPart,
  containers: readonly ContainerPart[],
): ContainerPart[] {
  return labels.component === "agent" ? workersOf(labels.agent, containers) : [];
}

function workersOf(agent: string, containers: readonly ContainerPart[]): ContainerPart[] {
  return containers.filter((part) => isAtWorkFor(agent, part));
}

function worded(part: ContainerPart) {
  return (said: LogLine): LogLine => ({ ...said, line: lineOf(part, said) });
}

async function* wordedLines(part: ContainerPart, lines: AsyncIterable<LogLine>) {
  const word = worded(part);
  for await (const said of lines) yield word(said);
}

/** A worker may be removed between the two requests. */
function goneIsEmpty(): LogLine[] {
  return [];
}
