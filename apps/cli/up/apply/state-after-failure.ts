// Says in a sentence what a `sett up` that fails or is interrupted leaves of the instance. Pure.
import { SettError } from "../../../../lib/model/errors.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../../lib/runtime/port.ts";
import { hasContainers } from "../../instance/find-instance.ts";

/** Images that were built stay after a failure, because a build may take long. */
export function stateAfterFailure(
  instance: InstanceName,
  before: InstanceParts | undefined,
  built: readonly string[],
): string {
  const images = `the image${built.length === 1 ? "" : "s"} ${built.join(", ")}`;
  if (before !== undefined && hasContainers(before)) {
    return `The earlier parts run again.${built.length === 0 ? "" : ` Kept for the next \`sett up\`: ${images}.`}`;
  }
  if (built.length === 0) return "Nothing was left behind.";
  return `Nothing was left behind except ${images}, for the next \`sett up\`. To remove ${built.length === 1 ? "it" : "them"}: \`sett down --volumes --name ${instance}\`.`;
}

/** Adds the state of the instance to an interruption; returns every other error unchanged. */
export function withState(error: unknown, state: string): unknown {
  if (!(error instanceof SettError) || error.code !== "interrupted") return error;
  return new SettError(
    "interrupted",
    `Interrupted: ${state.charAt(0).toLowerCase()}${state.slice(1)}`,
    { cause: error },
  );
}

/** `before`: the parts of the instance at the beginning. */
export function leftBehind(instance: InstanceName, before: InstanceParts | undefined): SettError {
  if (before !== undefined && hasContainers(before)) {
    return new SettError("interrupted", `Interrupted: ${instance} is updated only in part.`, {
      hint: `Update the rest: sett up --name ${instance}`,
    });
  }
  return new SettError(
    "interrupted",
    `Interrupted: not everything was undone, and parts of ${instance} are left behind.`,
    {
      hint: `Remove them: sett down ${before === undefined ? "--volumes " : ""}--name ${instance}`,
    },
  );
}
