// One `sett up` or `sett down` at a time works on an instance.
import { hostname, userInfo } from "node:os";
import process from "node:process";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerRuntime } from "../../../lib/runtime/port.ts";

/** Held while one works on the instance, until it is disposed of. Throws `instance-taken` when another one does, and what `lock` throws. */
export async function holdInstance(runtime: Pick<ContainerRuntime, "lock">, instance: InstanceName): Promise<AsyncDisposable> {
  const lock = await runtime.lock(instance, ownName());
  if (lock.outcome === "held") return lock;
  const by = lock.by === "" ? "" : `, by ${lock.by}`;
  throw new SettError("instance-taken", `Another \`sett up\` or \`sett down\` is at work on ${instance}${by}.`, {
    hint: "Wait until it is done, or end it, and try again. One that was killed is in nobody's way.",
  });
}

function ownName(): string {
  return `${userName()} on ${hostname()}, process ${process.pid}`;
}

/** Bun takes the name from USER, which a CI job or a container may be without, and says `unknown` then. */
function userName(): string {
  const { username } = userInfo();
  return username === "unknown" ? `user ${process.getuid?.() ?? "unknown"}` : username;
}
