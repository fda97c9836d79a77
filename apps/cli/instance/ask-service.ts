// Asks a service what its volume has, by a run of its own program beside it: the command line has
// no access to the volume.
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerPart, ExecResult } from "../../../lib/runtime/port.ts";
import type { Shell } from "../terminal/shell.ts";
import { findOrchestratorProgram, orchestratorProgram } from "./programs.ts";
import { everyInstance, runtimeOf } from "./runtimes.ts";

type ServiceProgram = {
  part: ContainerPart;
  ask: (argument: string, order: unknown) => Promise<ExecResult>;
};

/** The service's program is the orchestrator's. Undefined where the instance has none here. */
export async function askService(
  shell: Pick<Shell, "cwd" | "env" | "interrupted">,
  instance: InstanceName,
  service: "recorder" | "notary",
): Promise<ServiceProgram | undefined> {
  const parts = (await everyInstance(shell)).instances.find((one) => one.instance === instance);
  const part = parts?.containers.find(({ labels }) => labels.component === service);
  if (parts === undefined || part === undefined) return undefined;
  const ask: ServiceProgram["ask"] = async (argument, order) => {
    const isProcess = parts.runtime === "process";
    const program = isProcess ? await findOrchestratorProgram() : orchestratorProgram;
    const { observe } = await runtimeOf(shell, instance);
    return await observe.exec(part.id, [...program, argument], { stdin: JSON.stringify(order) });
  };
  return { part, ask };
}
