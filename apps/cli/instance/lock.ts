// Only one `sett up` or `sett down` at a time works on an instance.
import { hostname, userInfo } from "node:os";
import process from "node:process";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { Runtime } from "../../../lib/runtime/port.ts";

/**
 * The lock is held until it is disposed of. Throws `instance-taken` when another process has it,
 * and what `lock` throws.
 */
export async function lockInstance(
  runtime: Pick<Runtime, "apply">,
  instance: InstanceName,
  signal?: AbortSignal,
): Promise<AsyncDisposable> {
  const lock = await runtime.apply.lock(instance, ownName(), signal);
  if (lock.outcome === "held") return lock;
  const by = lock.by === "" ? "" : `, by ${lock.by}`;
  throw new SettError(
    "instance-taken",
    `Another \`sett up\` or \`sett down\` is at work on ${instance}${by}.`,
    {
      hint: "Wait until it ends, or end it, and try again. A killed process does not block.",
    },
  );
}

function ownName(): string {
  return `${userName()} on ${hostname()}, process ${process.pid}`;
}

/**
 * Bun reads the name from USER. Without that variable, as in some CI jobs and containers, it is
 * `unknown`.
 */
function userName(): string {
  const { username } = userInfo();
  return username === "unknown" ? `user ${process.getuid?.() ?? "unknown"}` : username;
}
