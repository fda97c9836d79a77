// Makes what an instance's agents see of the repository, and where they leave their commits, and
// removes it again where `sett up` fails.

import type { HostRepository } from "../../../../lib/git/repository/host-repository.ts";
import type { Owner } from "../../../../lib/git/run/find-repository.ts";
import type { AgentConfig, SettConfig } from "../../../../lib/model/config.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import { hasApi } from "../../services/api.ts";
import { PackingStep } from "../../terminal/packing-step.ts";
import type { Progress } from "../../terminal/progress.ts";

type FoldersInput = {
  repository: HostRepository;
  instance: InstanceName;
  config: Pick<SettConfig, "agents" | "services" | "triggers">;
  /** Who agents are on this machine. */
  writer: Owner;
  progress: Progress;
};

/** Resolves with whether there was none before. Throws repository-unusable, git-failed. */
export async function makeFolders({
  repository,
  instance,
  config,
  writer,
  progress,
}: FoldersInput): Promise<"made" | "kept"> {
  const exchange = repository.exchange(instance);
  const isPresent = await exchange.exists();
  const { agents } = config;
  const writers = agents.filter(({ workspace }) => workspace.mode === "rw").map(({ name }) => name);
  using step = new PackingStep(progress);
  const { onProgress } = step;
  step.begin();
  try {
    await exchange.make({ writers, writer, history: historyOf(agents), onProgress });
    if (hasApi(config)) await repository.openToApi(instance);
    step.done();
  } catch (error) {
    if (!isPresent) await exchange.remove();
    throw error;
  }
  return isPresent ? "kept" : "made";
}

/** All agents have one store: it has as much history as the one that needs most. */
export function historyOf(agents: readonly Pick<AgentConfig, "workspace">[]): number | undefined {
  const most = Math.max(
    1,
    ...agents.map(({ workspace }) => workspace.history ?? Number.POSITIVE_INFINITY),
  );
  return Number.isFinite(most) ? most : undefined;
}
