// An eval: each setting in an instance of its own, some at a time, and each run kept as soon as it
// has ended.
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { plainSetting } from "../../../lib/config/eval-settings.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { type EvalRun, type SettingSummary, summarise } from "../facts/eval-runs.ts";
import { personOf } from "../instance/person.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { EvalPlace, fileNameOf } from "./eval-place.ts";
import { instanceShell } from "./instance-shell.ts";
import {
  type CheckedSetting,
  checkSettings,
  type EvalOrder,
  type PreparedEval,
  prepareEval,
} from "./prepare-eval.ts";
import type { RunOrder } from "./run-goal.ts";
import { type Instances, type Recorded, runSetting } from "./run-setting.ts";

/** `runs`: of each goal. `parallel`: so many settings at a time. */
export type WholeOrder = Omit<EvalOrder, "withoutKeys"> &
  Recorded & {
    runs: number;
    parallel: number;
    to: string | undefined;
    isKept: boolean;
  };

/** `count`: the runs that each setting was to have. `folder`: what stays. */
export type Evaluated = {
  settings: SettingSummary[];
  runs: EvalRun[];
  count: number;
  folder: string;
  kept: string[];
};

/** Throws before anything is started. */
export async function runEval(
  order: WholeOrder,
  shell: Shell,
  instances: Instances,
): Promise<Evaluated> {
  const inputs = { ...order, withoutKeys: order.replay !== undefined };
  const prepared = await prepareEval(inputs, shell);
  await using place = await EvalPlace.open(prepared.repository.place, order, shell);
  await removeLeftovers(place, shell, instances);
  const clone = place.cloneOf(0);
  let settings: CheckedSetting[];
  try {
    await prepared.repository.cloneTo(clone, prepared.head);
    settings = await checkSettings(prepared, inputs, { clone, env: shell.env });
  } catch (error) {
    await place.removeClones();
    throw error;
  }
  const runs = ordersOf(prepared, order.runs);
  const names = settings.map(({ name }) => name);
  const kept = new KeptRuns(
    join(place.results, "eval.json"),
    names,
    Object.keys(prepared.file.goals),
  );
  shell.onAbandon(() => abandoned(settings.map((_, at) => place.nameOf(at))));
  using progress = new Progress(shell.err);
  const actor = await personOf(prepared.repository, shell);
  const waiting = [...settings.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (shell.interrupted.aborted) return;
      const [at, setting] = next;
      const step = progress.begin(setting.name, "prepares");
      const job = jobOf(place, { at, setting, runs, config: prepared.config }, order);
      await runSetting(shell, job, {
        ...{ ...prepared, actor, instances },
        onStep: (text) => step.update(text, { isMilestone: true }),
        onRun: (run) => kept.add(run),
      });
      const [summary] = kept.summaries([setting.name]);
      step.done(`${summary?.passed ?? 0} of ${runs.length} passed`);
    }
  };
  await Promise.all(Array.from({ length: order.parallel }, work));
  return {
    ...{ settings: kept.summaries(names), runs: kept.runs },
    ...{ count: runs.length, folder: place.results },
    kept: order.isKept ? settings.map((_, at) => place.cloneOf(at)) : [],
  };
}

/** Run by run, so that what was interrupted compares as well. */
function ordersOf({ file, commits }: PreparedEval, count: number): RunOrder[] {
  return Array.from({ length: count }, (_, at) => at + 1).flatMap((run) =>
    Object.entries(file.goals).flatMap(([name, goal]) => {
      const commit = commits.get(name);
      return commit === undefined ? [] : [{ name, goal, commit, run }];
    }),
  );
}

type One = { at: number; setting: CheckedSetting; runs: readonly RunOrder[]; config: string };

function jobOf(place: EvalPlace, { at, setting, runs, config }: One, order: WholeOrder) {
  const { name, text, isSealed } = setting;
  // `sett up --record` may have recorded those of sett.yml as it is, too.
  const own = (folder: string | undefined) =>
    folder === undefined || name === plainSetting ? folder : join(folder, fileNameOf(name));
  return {
    ...{ setting: name, name: place.nameOf(at), config, text, runs, isSealed },
    ...{ clone: place.cloneOf(at), folder: place.folderOf(at, name), isKept: order.isKept },
    ...{ record: own(order.record), replay: own(order.replay) },
  };
}

/** An eval that was killed, or that kept its instances, has left them. */
async function removeLeftovers(place: EvalPlace, shell: Shell, instances: Instances) {
  for (const name of await place.leftovers(shell)) {
    shell.messages.note(`An earlier eval of this file has left ${name}: it is taken away.`);
    const own = { folder: shell.cwd, log: join(place.results, "log.txt"), instance: name };
    await using quiet = instanceShell(shell, own);
    await instances.end(name, quiet.shell);
  }
  await place.removeClones();
}

function abandoned(names: readonly string[]): SettError {
  return new SettError(
    "interrupted",
    `Instances of this eval may still run: ${names.join(", ")}.`,
    {
      hint: "The same eval takes them away when it begins. Or, for each: sett down --name NAME --volumes --force",
    },
  );
}

/** All runs by now, in the order of settings, runs and goals; and the file with them. */
class KeptRuns {
  readonly #path: string;
  readonly #settings: readonly string[];
  readonly #goals: readonly string[];
  #runs: EvalRun[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, settings: readonly string[], goals: readonly string[]) {
    this.#path = path;
    this.#settings = settings;
    this.#goals = goals;
  }

  get runs(): EvalRun[] {
    return this.#runs;
  }

  summaries(names: readonly string[]): SettingSummary[] {
    return summarise(names, this.#runs);
  }

  /** Resolves when the file has it. */
  async add(run: EvalRun): Promise<void> {
    const placeOf = ({ setting, run: number, goal }: EvalRun) =>
      [this.#settings.indexOf(setting), number, this.#goals.indexOf(goal)] as const;
    this.#runs = [...this.#runs, run].sort((one, other) => {
      const [a, b] = [placeOf(one), placeOf(other)];
      return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
    });
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  async #write(): Promise<void> {
    const text = JSON.stringify({ settings: this.summaries(this.#settings), runs: this.#runs });
    await writeFile(`${this.#path}.new`, `${text}\n`);
    await rename(`${this.#path}.new`, this.#path);
  }
}
