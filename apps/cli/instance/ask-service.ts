// Runs a mode of a service's own program beside it: what only the service can reach, such as its
// volume and the providers.
import type { InstanceName } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { ContainerPart, ExecResult } from "../../../lib/runtime/port.ts";
import type { Shell } from "../terminal/shell.ts";
import { programHere } from "./programs.ts";
import { everyInstance, runtimeOf } from "./runtimes.ts";

const programs = { recorder: "orchestrator", notary: "orchestrator", gateway: "gateway" } as const;

export type AskedService = {
  part: ContainerPart;
  /** `order`: for its standard input, as JSON. */
  ask: (argument: string, order?: unknown, signal?: AbortSignal) => Promise<ExecResult>;
};

/** Undefined where the instance has none. Throws why a runtime that may have it does not answer. */
export async function askService(
  shell: Pick<Shell, "cwd" | "env" | "interrupted" | "messages">,
  instance: InstanceName,
  service: keyof typeof programs,
): Promise<AskedService | undefined> {
  const { instances, problems } = await everyInstance(shell);
  const parts = instances.find((one) => one.instance === instance);
  const [problem] = problems.values();
  if (parts === undefined && problem !== undefined) throw problem;
  const part = parts?.containers.find(({ labels }) => labels.component === service);
  if (parts === undefined || part === undefined) return undefined;
  const name = programs[service];
  const ask: AskedService["ask"] = async (argument, order, signal) => {
    const program = parts.runtime === "process" ? await programHere(name) : [`/${name}`];
    const { observe } = await runtimeOf(shell, instance);
    const stdin = order === undefined ? undefined : JSON.stringify(order);
    const options = withoutUndefined({ stdin, signal });
    return await observe.exec(part.id, [...program, argument], options);
  };
  return { part, ask };
}
