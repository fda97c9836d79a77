// The API reads here what the parts of an instance have logged.

import type { LogSource } from "../../lib/logs/log-source.ts";
import { ReaderClient } from "../../lib/logs/reader-client.ts";
import { RuntimeLogs } from "../../lib/logs/runtime-logs.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { InstanceName } from "../../lib/model/ids.ts";
import { reachable } from "../../lib/reach/reachable.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import type { Logs } from "./deps.ts";
import type { Settings } from "./settings.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `environment`: of the runtime. Undefined where the settings name no place. */
export async function openLogs(
  { logs, instance }: Settings,
  environment: Environment,
  log: JsonLog,
): Promise<Logs | undefined> {
  const source = await sourceOf(logs, instance, { environment, log });
  return source && logsFrom(source, instance);
}

/** A name that has no log throws `agent-not-found`. */
export function logsFrom(source: LogSource, instance: string): Logs {
  return { read: (name, options) => linesOf(source, instance, name, options) };
}

async function* linesOf(
  source: LogSource,
  instance: string,
  name: string,
  options: Parameters<Logs["read"]>[1],
): AsyncGenerator<string> {
  const lines = await source.read(name, options);
  if (lines !== undefined) return yield* lines;
  const names = await source.names();
  // `sett logs` says the same on the machine of the instance.
  throw new SettError(
    "agent-not-found",
    `${instance} has no part named ${name}. It has ${names.join(", ")}.`,
    {
      hint: "Use the agent's name in sett.yml. People and external agents have no log, because sett starts no container for them.",
    },
  );
}

/** A container runtime is loaded only where it is read. */
async function sourceOf(
  { url, processes }: Settings["logs"],
  instance: InstanceName,
  { environment, log }: { environment: Environment; log: JsonLog },
): Promise<LogSource | undefined> {
  if (url !== undefined) return new ReaderClient(await reachable(url, { log }));
  if (processes === undefined) return undefined;
  const { processRuntime } = await import("../../lib/runtime/process/runtime.ts");
  return new RuntimeLogs(processRuntime(processes, environment).observe, instance);
}
