// Runs a mode of the gateway's program in the gateway of an instance: what only it can reach, such
// as its volume and the providers.
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerPart, ExecResult } from "../../../lib/runtime/port.ts";
import type { Shell } from "../terminal/shell.ts";
import { isServing } from "./place.ts";
import { findGatewayProgram, gatewayProgram } from "./programs.ts";
import { everyInstance, runtimeOf } from "./runtimes.ts";

export type GatewayMode = {
  name: string;
  run: (options?: { stdin?: string; signal?: AbortSignal }) => Promise<ExecResult>;
};

/**
 * `purpose`: what only the gateway can do, after `only the gateway can`. Throws `not-ready` where
 * it does not run on this machine.
 */
export async function gatewayMode(
  shell: Pick<Shell, "cwd" | "env" | "interrupted">,
  instance: InstanceName,
  argument: string,
  about: { purpose: string; hint?: string },
): Promise<GatewayMode> {
  const parts = (await everyInstance(shell)).instances.find((one) => one.instance === instance);
  const gateway = parts?.containers.find(({ labels }) => labels.component === "gateway");
  if (parts === undefined || gateway === undefined || !isServing(gateway))
    throw notRunning(instance, gateway, about);
  const runtime = await runtimeOf(shell, instance);
  const program = parts.runtime === "process" ? await findGatewayProgram() : gatewayProgram;
  return {
    name: gateway.name,
    run: (options) => runtime.observe.exec(gateway.id, [...program, argument], options ?? {}),
  };
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
