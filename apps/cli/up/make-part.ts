// Brings one container to what the plan says: left alone, started, or put in the place of another.
import { SettError } from "../../../lib/model/errors.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import { setAsideName } from "../../../lib/runtime/names.ts";
import type { ContainerPart, ContainerRuntime } from "../../../lib/runtime/port.ts";
import type { Progress, Step } from "../terminal/progress.ts";
import { stopSecondsOf } from "./container-limits.ts";
import type { Change } from "./diff.ts";
import { awaitPart, type Ready } from "./readiness.ts";
import type { Journal } from "./undo.ts";

/** What gives no sign of life for so long has lost what it had in hand: little is to be waited for. */
const silentStopSeconds = 2;

export type Tools = { runtime: ContainerRuntime; progress: Progress; signal: AbortSignal; journal: Journal };

/**
 * Resolves when the part is ready. `watch` is called right before a container is started, when the one before it has said its last
 * word: signs of life from earlier do not count.
 */
export async function makePart(tools: Tools, change: Change, watch: () => Promise<Ready>): Promise<void> {
  const { progress, signal } = tools;
  requireGoing(signal);
  switch (change.kind) {
    case "keep":
      return;
    case "start":
      return await start(tools, change.spec, progress.begin(change.name, "starting"), await watch());
    case "replace": {
      const step = progress.begin(change.name, "stopping, to be replaced");
      await setAside(tools, change.found, change.isSilent ? silentStopSeconds : stopSeconds(change));
      requireGoing(signal);
      step.update("starting", { isMilestone: true });
      return await start(tools, change.spec, step, await watch());
    }
    default:
      unreachable(change);
  }
}

export function requireGoing(signal: AbortSignal): void {
  if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
}

async function start({ runtime, signal, journal }: Tools, spec: ContainerSpec, step: Step, ready: Ready): Promise<void> {
  await runtime.containers.start(spec);
  journal.note(async () => {
    // It may be at work already, on what it found waiting.
    await runtime.containers.stop(spec.name, spec.stopTimeoutSeconds ?? 0);
    await runtime.containers.remove(spec.name);
  });
  step.update("waiting until it is ready");
  await awaitPart(runtime, spec.name, ready, signal);
  step.done("is ready");
}

/** An agent goes by what it was told when it was made. */
function stopSeconds({ found, spec }: Extract<Change, { kind: "replace" }>): number | undefined {
  return found.labels.component === "agent" ? stopSecondsOf(found) : spec.stopTimeoutSeconds;
}

/** It may end what it has in hand, and is kept under another name until all is well: what ran before shall be able to run again. */
async function setAside({ runtime, journal }: Tools, { id, name, state }: ContainerPart, stopSeconds = 0): Promise<void> {
  let isRenamed = false;
  journal.note(async () => {
    if (isRenamed) await runtime.containers.rename(id, name);
  });
  // It reads its registration when it starts, which must be the one from before again.
  if (state.state !== "created" && state.state !== "exited") journal.noteLast(() => runtime.containers.startAgain(id));
  await runtime.containers.stop(id, stopSeconds);
  await runtime.containers.rename(id, setAsideName(name));
  isRenamed = true;
}
