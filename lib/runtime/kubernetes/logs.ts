// The lines of a part's log, as the kubelet keeps them: both streams in one.
import { merged } from "../../async/merged.ts";
import { SettError } from "../../model/errors.ts";
import type { LogLine, LogOptions } from "../port.ts";
import { type KubeClient, KubeRefusal } from "./client.ts";
import { pathOf } from "./resources.ts";

/**
 * The log of one pod, of the container in which the part runs unless another one is named. The end
 * of a signal ends the lines without an error.
 */
export async function* podLines(
  client: KubeClient,
  { namespace, pod, container = "part" }: { namespace: string; pod: string; container?: string },
  { follow = false, tail, since, signal }: LogOptions = {},
): AsyncGenerator<LogLine> {
  if (signal?.aborted) return;
  const query = {
    ...{ container, timestamps: "true", follow: String(follow) },
    ...(tail !== undefined && { tailLines: String(tail) }),
    ...(since !== undefined && { sinceTime: new Date(Math.floor(since * 1_000)).toISOString() }),
  };
  try {
    const path = `${pathOf("Pod", namespace, pod)}/log`;
    const answer = await client.ask(path, { query, isStream: true, signal });
    for await (const line of linesOf(answer)) yield line;
  } catch (error) {
    if (signal?.aborted) return;
    // A container that has not started has no log yet.
    if (error instanceof KubeRefusal && error.status === 400) return;
    if (error instanceof SettError) throw error;
    throw client.unreachable("a log broke off", error);
  }
}

/** The lines of all pods of a part, in the order of their times; followed ones as they come. */
export async function* linesOfAll(
  pods: readonly AsyncGenerator<LogLine>[],
  { follow = false, tail }: LogOptions = {},
): AsyncGenerator<LogLine> {
  const [first, ...others] = pods;
  if (first === undefined) return;
  if (others.length === 0) return yield* first;
  if (follow) return yield* merged(first, each(others));
  const all = (await Promise.all(pods.map((lines) => Array.fromAsync(lines)))).flat();
  const ordered = all.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  yield* tail === undefined ? ordered : ordered.slice(Math.max(0, ordered.length - tail));
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

async function* linesOf({ body }: Response): AsyncGenerator<LogLine> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield* lineOf(line);
  }
  if (rest !== "") yield* lineOf(rest);
}

/**
 * A line without a time is a word of the kubelet's own, such as that it cannot read the log of a
 * container that is gone by now.
 */
function lineOf(text: string): LogLine[] {
  const [, time, line = ""] = /^(\d{4}-\d\d-\d\dT\S+)(?: (.*))?$/s.exec(text) ?? [];
  return time === undefined ? [] : [{ stream: "stdout", line, time }];
}
