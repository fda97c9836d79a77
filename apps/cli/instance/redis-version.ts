// The version of the Redis on the PATH, which runs where parts are processes of this machine.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf, SettError } from "../../../lib/model/errors.ts";

const minVersion = 7;

const hint =
  "Install Redis 7 or newer (Debian's package is redis-server), name one in `services.redis.url`, or leave --runtime process out.";

/** Throws `process-failed` where there is none that is new enough, and where it does not say so. */
export async function redisVersion({ program = "redis-server", limitMs = 60_000 } = {}) {
  // A program that handles SIGTERM could go on.
  const limits = { timeout: limitMs, killSignal: "SIGKILL" } as const;
  const { stdout } = await promisify(execFile)(program, ["--version"], limits).catch(
    (cause: unknown) => {
      throw new SettError("process-failed", failureOf(cause), { hint, cause });
    },
  );
  const [, version = "", major = ""] = /\bv=((\d+)[\d.]*)/.exec(stdout) ?? [];
  if (Number(major) >= minVersion) return version;
  const found = `The redis-server on the PATH has version ${version || "unknown"}.`;
  throw new SettError("process-failed", found, { hint });
}

function failureOf(cause: unknown): string {
  const { code, killed, stderr } = Object(cause);
  if (code === "ENOENT") return "There is no redis-server on the PATH.";
  if (killed === true) return "The redis-server on the PATH does not say which version it is.";
  const [line] = String(stderr ?? "").match(/\S.*/) ?? [messageOf(cause)];
  return `The redis-server on the PATH does not start: ${line}`;
}
