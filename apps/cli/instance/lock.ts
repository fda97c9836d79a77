// Only one `sett up`, `down`, `backup` or `restore` at a time works on an instance.
import { hostname, userInfo } from "node:os";
import process from "node:process";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { HeldLock, LostLock, Runtime } from "../../../lib/runtime/port.ts";
import type { Shell } from "../terminal/shell.ts";

/** A command that changes an instance, and its lock, which it may lose on the way. */
export class LockedWork {
  readonly #stop = new AbortController();
  /** The command's own, whose interruption is also that the lock is lost. */
  readonly shell: Shell;

  constructor(shell: Shell) {
    const interrupted = AbortSignal.any([shell.interrupted, this.#stop.signal]);
    this.shell = { ...shell, interrupted };
  }

  /** Throws what `job` throws, or that the lock was lost. `lock`: undefined: there is none. */
  async under<Result>(
    lock: HeldLock | undefined,
    instance: InstanceName,
    job: () => Promise<Result>,
  ): Promise<Result> {
    await using held = lock;
    const lose = () => this.#stop.abort(lostError(held?.lost.reason, instance));
    if (held?.lost.aborted) lose();
    held?.lost.addEventListener("abort", lose, { once: true });
    try {
      return await job();
    } catch (error) {
      if (this.#stop.signal.aborted) throw this.#stop.signal.reason;
      throw error;
    }
  }
}

class LockLost extends SettError {}

/** Whether another command is at work on the instance now, so that nothing may be undone. */
export function isTakenOver({ reason }: AbortSignal): boolean {
  return reason instanceof LockLost && reason.code === "instance-taken";
}

/** Throws the reason where the lock of this work was lost. */
export function requireLock({ reason }: AbortSignal): void {
  if (reason instanceof LockLost) throw reason;
}

function lostError(lost: LostLock, instance: InstanceName): LockLost {
  const what = `The lock of ${instance} was lost: the connection by which this command held it was cut`;
  if ("error" in lost) {
    return new LockLost(
      "docker-unreachable",
      `${what}, and it could not be taken again. ${messageOf(lost.error)}`,
      { hint: "When the Engine answers again, run this command again.", cause: lost.error },
    );
  }
  return new LockLost("instance-taken", `${what}, and another command has it now${by(lost)}.`, {
    hint: "This command has stopped, and the other one goes on from what it finds. When that has ended, run this command again.",
  });
}

/**
 * The lock is held until it is disposed of. Throws `instance-taken` when another process has it,
 * and what `lock` throws.
 */
export async function lockInstance(
  runtime: Pick<Runtime, "apply">,
  instance: InstanceName,
  signal?: AbortSignal,
): Promise<HeldLock> {
  const lock = await runtime.apply.lock(instance, ownName(), signal);
  if (lock.outcome === "held") return lock;
  throw new SettError(
    "instance-taken",
    `Another \`sett up\`, \`down\`, \`backup\` or \`restore\` is at work on ${instance}${by(lock)}.`,
    {
      hint: "Wait until it ends, or end it, and try again. A killed process does not block.",
    },
  );
}

function by({ by }: { by: string }): string {
  return by === "" ? "" : `, by ${by}`;
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
