// Where Sett's own programs are on this machine: as files beside `sett`, or as sources.
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { SettError } from "../../lib/model/errors.ts";

/** How each is started, and what changes when any of them does. */
export type Programs = { cub: string[]; orchestrator: string[]; version: string };

/** What lies in the folder where a program happens to be started is none of its business. */
const undisturbed = ["--no-env-file", "--config=/dev/null"];

/** Where a compiled program finds its own sources. */
const insideBinary = "/$bunfs/";

/** How this very program is started again. */
export function ownCommand(): string[] {
  const source = sourceFile();
  return source === undefined ? [process.execPath] : fromSource(source);
}

/** Throws `process-failed` when one is missing, or Redis is. */
export async function findPrograms(): Promise<Programs> {
  const redis = await redisVersion();
  const [cub, orchestrator] = await Promise.all([findProgram("cub"), findProgram("orchestrator")]);
  return { cub: cub.command, orchestrator: orchestrator.command, version: [redis, cub.changed, orchestrator.changed].join(" ") };
}

/** Undefined in a compiled program. */
function sourceFile(): string | undefined {
  const [, main = ""] = process.argv;
  return main.startsWith(insideBinary) ? undefined : main;
}

function fromSource(file: string): string[] {
  return [process.execPath, "run", ...undisturbed, file];
}

async function findProgram(name: "cub" | "orchestrator"): Promise<{ command: string[]; changed: number }> {
  const source = sourceFile();
  // As it is handed out, and as it is built.
  const files =
    source === undefined
      ? [`sett-${name}`, `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}/${name}`].map((file) =>
          join(dirname(process.execPath), file),
        )
      : [join(dirname(source), `../${name}/main.ts`)];
  for (const file of files) {
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile()) return { command: source === undefined ? [file] : fromSource(file), changed: found.mtimeMs };
  }
  throw new SettError("process-failed", `There is no ${name} for this machine beside ${process.execPath}.`, {
    hint: `Without containers it is run from there: ${files.join(" or ")}. In Sett's sources: bun .ci/build.ts`,
  });
}

const oldestRedis = 7;

async function redisVersion(): Promise<string> {
  const install = "Install Redis 7 or newer (Debian's package is redis-server), or leave --runtime process out.";
  const said = await promisify(execFile)("redis-server", ["--version"]).catch((cause: unknown) => {
    throw new SettError("process-failed", "There is no redis-server in the PATH.", { hint: install, cause });
  });
  const [, version = "", major = ""] = /\bv=((\d+)[\d.]*)/.exec(said.stdout) ?? [];
  if (Number(major) >= oldestRedis) return version;
  throw new SettError("process-failed", `The redis-server in the PATH is of version ${version || "unknown"}.`, { hint: install });
}
