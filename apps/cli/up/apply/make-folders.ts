// Makes what an instance's agents see of the repository, and where they leave their commits, and
// removes it again where `sett up` fails.

import type { HostRepository } from "../../../../lib/git/repository/host-repository.ts";
import type { Owner } from "../../../../lib/git/run/find-repository.ts";
import type { AgentConfig, SettConfig } from "../../../../lib/model/config.ts";
import type { CommitHash, InstanceName } from "../../../../lib/model/ids.ts";
import { isTakenOver } from "../../instance/lock.ts";
import { hasApi } from "../../services/has-api.ts";
import { servesPacks } from "../../services/packs.ts";
import { PackingStep } from "../../terminal/packing-step.ts";
import type { Progress } from "../../terminal/progress.ts";
import { requireGoing } from "./make-part.ts";

type FoldersInput = {
  repository: HostRepository;
  instance: InstanceName;
  config: Pick<SettConfig, "agents" | "services" | "triggers">;
  /** The user of this machine that agents are. */
  writer: Owner;
  progress: Progress;
  signal: AbortSignal;
};

/**
 * `ready`: agents may start, and see this HEAD. Rejects with repository-unusable, git-failed and
 * interrupted. `serve`: gives it to the service of packs, where there is one, which runs.
 * `stop`: ends what is not ready yet. `takeBack`: and removes what was not there
 * before.
 */
export type Folders = {
  ready: Promise<CommitHash>;
  serve: () => Promise<void>;
  stop: () => void;
  takeBack: () => Promise<void>;
};

/** Begins it beside the other steps of `sett up`, because a large repository takes its time. */
export function beginFolders(input: FoldersInput): Folders {
  const stop = new AbortController();
  const signal = AbortSignal.any([input.signal, stop.signal]);
  const made = makeFolders({ ...input, signal });
  const takeBack = async () => {
    stop.abort();
    const outcome = await made.catch(() => undefined);
    if (outcome?.isNew === true) await remove(input);
  };
  const ready = made.then(({ head }) => head);
  // It may fail long before anyone waits for it.
  ready.catch(() => undefined);
  const serve = async () => await input.repository.exchange(input.instance).serve();
  return { ready, serve, stop: () => stop.abort(), takeBack };
}

/** `isNew`: there was none before. */
async function makeFolders(input: FoldersInput): Promise<{ head: CommitHash; isNew: boolean }> {
  const { repository, instance, config, writer, progress, signal } = input;
  const exchange = repository.exchange(instance);
  const isPresent = await exchange.exists();
  const { agents } = config;
  const writers = agents.filter(({ workspace }) => workspace.mode === "rw").map(({ name }) => name);
  using step = new PackingStep(progress);
  const { onProgress } = step;
  step.begin();
  const isOpen = hasApi(config);
  const history = historyOf(agents);
  try {
    const isServed = servesPacks(config);
    const wanted = { writers, writer, history, isOpen, isServed, onProgress, signal };
    await repository.nameBrought(instance);
    const head = await exchange.make(wanted);
    if (isOpen) await repository.openToApi(instance);
    step.done();
    return { head, isNew: !isPresent };
  } catch (error) {
    if (!isPresent) await remove(input);
    requireGoing(signal);
    throw error;
  }
}

/** Another command that works on the instance now needs them. */
async function remove({ repository, instance, signal }: FoldersInput): Promise<void> {
  if (!isTakenOver(signal)) await repository.exchange(instance).remove();
}

/** All agents have one store: it has as much history as the one that needs most. */
export function historyOf(agents: readonly Pick<AgentConfig, "workspace">[]): number | undefined {
  const most = Math.max(
    1,
    ...agents.map(({ workspace: { mode, history = Number.POSITIVE_INFINITY } }) =>
      mode === "none" ? 1 : history,
    ),
  );
  return Number.isFinite(most) ? most : undefined;
}
