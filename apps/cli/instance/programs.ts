// The command lines of Sett's own programs on this machine: all are in one binary, or beside each
// other as sources.
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { fromSource, isInsideBinary } from "../../../lib/process/own-program.ts";
import type { Program } from "../../../lib/runtime/part-plan.ts";
import { redisVersion } from "./redis-version.ts";

/** The command line of each; `version` changes when any of the programs changes. */
export type Programs = Record<Program, string[]> & { version: string };

/** The command line that starts this same program again. */
export function ownCommand(): string[] {
  const source = sourceFile();
  return source === undefined ? [process.execPath] : fromSource(process.execPath, source);
}

/** `withRedis`: one is started here. Throws `process-failed` where this machine has none for it. */
export async function findPrograms({ withRedis }: { withRedis: boolean }): Promise<Programs> {
  const redis = withRedis ? await redisVersion() : "elsewhere";
  const [cub, orchestrator, gateway, api] = await Promise.all([
    findProgram("cub"),
    findProgram("orchestrator"),
    findProgram("gateway"),
    findProgram("api"),
  ]);
  return {
    cub: cub.command,
    orchestrator: orchestrator.command,
    gateway: gateway.command,
    api: api.command,
    version: [redis, cub.changed, orchestrator.changed, gateway.changed, api.changed].join(" "),
  };
}

/** One alone: it needs no Redis. */
export async function programHere(name: Program): Promise<string[]> {
  return (await findProgram(name)).command;
}

/** The command line's. Undefined in a compiled program. */
function sourceFile(): string | undefined {
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  return isInsideBinary(main) ? undefined : main;
}

async function findProgram(name: Program): Promise<{ command: string[]; changed: number }> {
  const source = sourceFile();
  const file =
    source === undefined ? process.execPath : join(dirname(source), `../${name}/main.ts`);
  const command =
    source === undefined ? [file, "service", name] : fromSource(process.execPath, file);
  return { command, changed: (await stat(file)).mtimeMs };
}
