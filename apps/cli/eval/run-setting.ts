// All runs of one setting: a clone and an instance of its own, one goal after the other, so that
// their times compare, and nothing left behind.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { CommitHash, InstanceName } from "../../../lib/model/ids.ts";
import { oneError } from "../../../lib/model/one-error.ts";
import type { EvalRun } from "../facts/eval-runs.ts";
import { gitOf } from "../instance/packs-place.ts";
import { printError } from "../program/print-error.ts";
import { exists } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import type { EvalInstance } from "./eval-instance.ts";
import { type InstanceShell, instanceShell } from "./instance-shell.ts";
import { keepInstance, keepReport } from "./keep-runs.ts";
import { type RunOrder, runGoal } from "./run-goal.ts";

/** `sett up` and `sett down`, as they are. */
export type Instances = {
  start(place: { name: InstanceName; file: string } & Recorded, shell: Shell): Promise<void>;
  end(name: InstanceName, shell: Shell): Promise<void>;
};

/** The folder of recorded calls, if any. */
export type Recorded = { record: string | undefined; replay: string | undefined };

/**
 * `config`: the path of sett.yml in the repository. `text`: its text for this setting. `clone`,
 * `folder`: of this setting alone; the latter stays. `isSealed`: it has a notary.
 */
export type SettingJob = Recorded & {
  setting: string;
  name: InstanceName;
  clone: string;
  folder: string;
  config: string;
  text: string;
  runs: readonly RunOrder[];
  isSealed: boolean;
  isKept: boolean;
};

/** `head`: what the clone checks out. `onRun` gets each run as soon as it has ended. */
export type Around = Pick<EvalInstance, "actor" | "file" | "token"> & {
  repository: HostRepository;
  head: CommitHash;
  instances: Instances;
  onStep(step: string): void;
  onRun(run: EvalRun): Promise<void>;
};

/** Never throws: a setting that cannot be tried has that as the reason of each of its runs. */
export async function runSetting(outer: Shell, job: SettingJob, around: Around): Promise<void> {
  const { setting, name, clone, folder } = job;
  await mkdir(folder, { recursive: true });
  await using own = instanceShell(outer, {
    ...{ folder: clone, log: join(folder, "log.txt"), instance: name },
  });
  const done: EvalRun[] = [];
  const add = async (run: EvalRun) => {
    done.push(run);
    await around.onRun(run);
  };
  let at: EvalInstance | undefined;
  try {
    around.onStep("starts");
    at = await start(job, around, own);
    for (const order of job.runs) {
      if (outer.interrupted.aborted) break;
      around.onStep(`${order.name}, run ${order.run}`);
      await add(await runAndKeep(at, order, { setting, folder }));
    }
  } catch (error) {
    if (!outer.interrupted.aborted) {
      await printError(oneError(error), own.shell.err, { isDebug: false });
      for (const order of job.runs) await add(notStarted(setting, order, error));
    }
  }
  around.onStep("ends");
  if (at !== undefined) await keepAll(at, job, done);
  if (!job.isKept) await remove(outer, job, { around, own });
}

async function start(
  { name, clone, config, text, record, replay }: SettingJob,
  { repository: outer, head, actor, file, token, instances }: Around,
  { shell, lasting }: InstanceShell,
): Promise<EvalInstance> {
  // The one in which sett.yml was checked is there already.
  if (!(await exists(clone))) await outer.cloneTo(clone, head);
  await writeFile(join(clone, config), text);
  await instances.start({ name, file: join(clone, config), record, replay }, shell);
  const repository = await HostRepository.open(clone, gitOf(lasting));
  return { shell, lasting, name, repository, actor, file, token };
}

async function runAndKeep(
  at: EvalInstance,
  order: RunOrder,
  { setting, folder }: Pick<SettingJob, "setting" | "folder">,
): Promise<EvalRun> {
  const run = await runGoal(at, order);
  const name = `${order.name}-${order.run}`;
  const report =
    run.goal_id === null
      ? null
      : await keepReport(at, run.goal_id, { folder, name }).catch((error: unknown) => {
          at.shell.messages.warn(`The report of ${order.name} cannot be kept: ${messageOf(error)}`);
          return null;
        });
  return { setting, ...run, report };
}

/** The log says what to do about it: most of it is about `sett up`. */
function notStarted(setting: string, { name, run }: RunOrder, error: unknown): EvalRun {
  return {
    ...{ setting, goal: name, run, outcome: "not-started", reason: messageOf(error) },
    ...{ goal_id: null, commit: null, cost: null, duration_ms: null },
    ...{ rounds: 0, questions: 0, report: null },
  };
}

async function keepAll(
  at: EvalInstance,
  { folder, runs, isSealed }: SettingJob,
  done: readonly EvalRun[],
): Promise<void> {
  const problems = await keepInstance(at, {
    folder,
    goals: done.flatMap(({ goal_id }) => goal_id ?? []),
    starts: [...new Set(runs.map(({ commit }) => commit))],
    hasCommits: done.some(({ commit }) => commit !== null),
    isSealed,
  });
  for (const problem of problems) at.shell.messages.warn(problem);
}

async function remove(
  { messages }: Shell,
  { name, clone }: SettingJob,
  { around, own }: { around: Around; own: InstanceShell },
): Promise<void> {
  try {
    await around.instances.end(name, own.lasting);
    await rm(clone, { recursive: true, force: true });
  } catch (error) {
    messages.warn(`${name} could not be taken away: ${messageOf(error)}`);
    messages.next(`sett down --name ${name} --volumes --force`);
  }
}
