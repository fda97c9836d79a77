// Starts the keeper of secrets, and gives it their values: through the standard input of a command
// beside it, because the environment, the arguments and the labels of a container can be read from
// outside.
import { SettError } from "../../../../lib/model/errors.ts";
import type { AgentName } from "../../../../lib/model/ids.ts";
import type { ContainerRuntime } from "../../../../lib/runtime/port.ts";
import type { Change } from "../plan/diff.ts";
import type { PlannedService } from "../plan/plan-input.ts";
import { makeOwned } from "./make-owned.ts";
import { makePart, type Tools } from "./make-part.ts";

/** Agent → secret → value in base64. They go to the keeper and nowhere else. */
export type SecretValues = Readonly<Record<AgentName, Readonly<Record<string, string>>>>;

/**
 * A keeper that stays gets them, too: they may have changed, and a restart of the machine has lost
 * them.
 */
export async function startKeeper(
  tools: Tools,
  planned: PlannedService | undefined,
  { change, values }: { change: Change | undefined; values: SecretValues },
): Promise<void> {
  if (planned === undefined || change === undefined) return;
  const { runtime, undoSteps } = tools;
  if (change.kind !== "keep") await makeOwned(tools, planned.volumes);
  await makePart(tools, change, async () => {
    // The earlier keeper has lost them when an undo starts it again. It may not know each agent.
    if (change.kind === "replace")
      undoSteps.addLast(() => giveSecrets(runtime, { ...planned, name: change.found.id }, values));
    // Without its values it is of no use: an agent would wait for them.
    return async () => giveSecrets(runtime, { ...planned, name: planned.spec.name }, values);
  });
  if (change.kind === "keep")
    await giveSecrets(runtime, { ...planned, name: planned.spec.name }, values);
}

type Keeper = Pick<PlannedService, "program"> & {
  /** The container. */
  name: string;
};

/**
 * Replaces all values. Throws `not-ready`, without a word of what the command said: a value might
 * be among it.
 */
async function giveSecrets(
  { containers }: Pick<ContainerRuntime, "containers">,
  { name, program }: Keeper,
  values: SecretValues,
): Promise<void> {
  const { exitCode } = await containers.exec(name, [...program, "--put-secrets"], {
    stdin: JSON.stringify(values),
  });
  if (exitCode === 0) return;
  throw new SettError(
    "not-ready",
    `The keeper did not take the secrets of the agents (exit code ${exitCode}).`,
    {
      hint: "`docker inspect` of its container may show why. `sett up` tries again.",
    },
  );
}
