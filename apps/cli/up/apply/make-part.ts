// Makes one change of the plan: a container is kept, started, or replaced.
import { SettError } from "../../../../lib/model/errors.ts";
import { unreachable } from "../../../../lib/model/unreachable.ts";
import type { ContainerSpec } from "../../../../lib/runtime/container-spec.ts";
import { setAsideName } from "../../../../lib/runtime/names.ts";
import type { ContainerPart, Runtime } from "../../../../lib/runtime/port.ts";
import { stopSecondsOf } from "../../services/limits.ts";
import type { Progress, Step } from "../../terminal/progress.ts";
import type { Change } from "../plan/diff.ts";
import { awaitPart, type Ready } from "./readiness.ts";
import type { UndoSteps } from "./undo.ts";

/** The stop time of a silent container: it has lost its work already. */
const silentStopSeconds = 2;

export type Tools = {
  runtime: Runtime;
  progress: Progress;
  signal: AbortSignal;
  undoSteps: UndoSteps;
};

/**
 * Resolves when the part is ready. `watch` is called right before the new container starts, when
 * the old one has stopped, so that earlier heartbeats do not count.
 */
export async function makePart(
  tools: Tools,
  change: Change,
  watch: () => Promise<Ready>,
): Promise<void> {
  const { progress, signal } = tools;
  requireGoing(signal);
  switch (change.kind) {
    case "keep":
      return;
    case "start":
      return await start(
        tools,
        change.spec,
        progress.begin(change.name, "starting"),
        await watch(),
      );
    case "replace": {
      const step = progress.begin(change.name, "stopping, to be replaced");
      await setAside(
        tools,
        change.found,
        change.isSilent ? silentStopSeconds : stopSeconds(change),
      );
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

async function start(
  { runtime, signal, undoSteps }: Tools,
  spec: ContainerSpec,
  step: Step,
  ready: Ready,
): Promise<void> {
  await runtime.apply.start(spec);
  undoSteps.add(async () => {
    // It may work already, on a grant that was waiting.
    await runtime.apply.stop(spec.name, spec.stopTimeoutSeconds ?? 0);
    await runtime.apply.remove(spec.name);
  });
  const waits = "waiting until it is ready";
  step.update(waits);
  await awaitPart(runtime, spec.name, ready, signal, {
    onProblem: (sentence) =>
      step.update(sentence ?? waits, { isMilestone: sentence !== undefined }),
  });
  step.done("is ready");
}

/** An agent's container has the shutdown time of its own settings. */
function stopSeconds({ found, spec }: Extract<Change, { kind: "replace" }>): number | undefined {
  return found.labels.component === "agent" ? stopSecondsOf(found) : spec.stopTimeoutSeconds;
}

/**
 * Stops a container and keeps it under another name, so that an undo can start it again. Its
 * running work may finish.
 */
async function setAside(
  { runtime, undoSteps }: Tools,
  { id, name, state }: ContainerPart,
  stopSeconds = 0,
): Promise<void> {
  let isRenamed = false;
  undoSteps.add(async () => {
    if (isRenamed) await runtime.apply.rename(id, name);
  });
  // It starts last, because it reads its registration, which the undo must restore first.
  if (state.state !== "created" && state.state !== "exited")
    undoSteps.addLast(() => runtime.apply.startAgain(id));
  await runtime.apply.stop(id, stopSeconds);
  await runtime.apply.rename(id, setAsideName(name));
  isRenamed = true;
}
