// Finds the gateway of an instance, for what only it can reach.
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerPart } from "../../../lib/runtime/port.ts";
import type { Shell } from "../terminal/shell.ts";
import { type AskedService, askService } from "./ask-service.ts";
import { isServing } from "./place.ts";

/**
 * `purpose`: what only the gateway can do, after `only the gateway can`. Throws `not-ready` where
 * it does not run on this machine.
 */
export async function runningGateway(
  shell: Pick<Shell, "cwd" | "env" | "interrupted" | "messages">,
  instance: InstanceName,
  about: { purpose: string; hint?: string },
): Promise<AskedService> {
  const gateway = await askService(shell, instance, "gateway");
  if (gateway !== undefined && isServing(gateway.part)) return gateway;
  throw notRunning(instance, gateway?.part, about);
}

function notRunning(
  instance: InstanceName,
  gateway: ContainerPart | undefined,
  { purpose, hint }: { purpose: string; hint?: string },
): SettError {
  const what =
    gateway === undefined
      ? `There is no gateway of ${instance} on this machine`
      : `The gateway of ${instance} does not run`;
  const more = hint === undefined ? "" : ` ${hint}`;
  return new SettError("not-ready", `${what}, and only the gateway can ${purpose}.`, {
    hint: `\`sett up --name ${instance}\` starts it.${more}`,
  });
}
