// The frame of a service's program: how it is called, how it ends, and with what each service
// begins.
import { systemClock } from "../async/clock.ts";
import { SettError } from "../model/errors.ts";
import { goByProxies } from "./by-proxy.ts";
import { healthAddress } from "./environment.ts";
import { failAs } from "./fatal-error.ts";
import { runHealthcheck } from "./health-check.ts";
import { createJsonLog } from "./json-log.ts";
import { exitOn, stopSignal } from "./stop-signal.ts";

type Mode = () => unknown;

/** `run`: what it does without an argument; `modes`: what it does with one. */
type Program = { name: string; version: string; run: Mode; modes: Record<`--${string}`, Mode> };

/** `host`: the process, which an error ends. */
export async function runProgram(
  { name, version, run, modes }: Program,
  host: Pick<NodeJS.Process, "env" | "argv" | "exitCode">,
): Promise<void> {
  goByProxies(host.env);
  const all = new Map<string | undefined, Mode>([
    [undefined, run],
    ["--version", () => console.log(version)],
    ["--healthcheck", () => checkHealth(host)],
    ...Object.entries(modes),
  ]);
  const [argument, ...more] = host.argv.slice(2);
  const mode = all.get(argument);
  try {
    if (mode === undefined || more.length > 0)
      throw new SettError("usage", `Unknown argument ${more[0] ?? argument}.`, {
        hint: `usage: ${name} [${[...all.keys()].slice(1).join(" | ")}]   (settings come from the environment)`,
      });
    await mode();
  } catch (error) {
    failAs(name)(error);
  }
}

async function checkHealth(host: Pick<NodeJS.Process, "env" | "exitCode">): Promise<void> {
  const port = healthAddress.SETT_HEALTH_PORT.parse(host.env.SETT_HEALTH_PORT);
  host.exitCode = await runHealthcheck(port, console.log);
}

/**
 * `signal` asks it to stop; until `hasStarted` is called the process ends at once then, since there
 * is nothing to finish.
 */
export function beginService(service: string, instance: string) {
  const log = createJsonLog(console.log, systemClock.now).with({ service, instance });
  const signal = stopSignal();
  return { log, signal, hasStarted: exitOn(signal) };
}
