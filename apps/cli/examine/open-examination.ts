// Opens a container for a look at a grant, and removes all of it again (docs/guides/failures.md).
import { randomBytes } from "node:crypto";
import { sleep } from "../../../lib/async/sleep.ts";
import { invalidConfig, missingVariables } from "../../../lib/config/problems.ts";
import { checkConfig } from "../../../lib/config/read-config.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { AgentConfig, SettConfig } from "../../../lib/model/config.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import {
  type ExaminationOrder,
  ExaminationReport,
  reportMark,
} from "../../../lib/model/examination.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { oneError } from "../../../lib/model/one-error.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import { examinationNames } from "../../../lib/runtime/names.ts";
import type {
  Attended,
  AttendedRuntime,
  InstanceParts,
  Runtime,
} from "../../../lib/runtime/port.ts";
import { findConfig } from "../program/config-path.ts";
import type { PlanInput } from "../services/input.ts";
import { packsOfLook } from "../services/packs.ts";
import { tlsDoorsOf } from "../services/reach.ts";
import type { Shell } from "../terminal/shell.ts";
import { awaitPart, PartFailed } from "../up/apply/readiness.ts";
import { keptPassword } from "../up/checks/kept-password.ts";
import { usersOf } from "../up/hosts/host.ts";
import { agentPlan } from "../up/plan/agent-plan.ts";
import type { Fitted } from "./examination-host.ts";
import { examinationPart, examinationPlan, type How } from "./examination-plan.ts";
import type { GrantImage } from "./image-of-grant.ts";

/** Its last lines have all that the cub says of it, also of many pieces. */
const reportLines = 10_000;
const pieceOfReport = new RegExp(`^${reportMark}(\\d+)/(\\d+) (\\S+)$`);
const shownLines = 5;

const lookEveryMs = 300;

/** So long the cub may take for its report after the end of a shell. */
const endMs = 10_000;

export type Examination = AsyncDisposable & {
  container: string;
  /**
   * Runs the cub beside it with these words, to its exit code. An interruption removes the
   * container, and throws `interrupted`.
   */
  attend(words: readonly string[], attended: Attended): Promise<number>;
};

export type Place = {
  runtime: AttendedRuntime;
  repository: HostRepository;
  parts: InstanceParts;
  shell: Shell;
};

/** `config`, `agent`: as the runtime runs them. */
export type Examined = Fitted & {
  order: ExaminationOrder;
  image: GrantImage;
  agent: AgentConfig;
  how: How;
  withSecrets: boolean;
};

/** Throws `config-invalid`. */
export async function readConfigOf(
  { registration: { name } }: ExaminationOrder,
  file: string | undefined,
  shell: Shell,
): Promise<{ config: SettConfig; file: string }> {
  const found = await findConfig(shell, file);
  const checked = await checkConfig(found.file, shell.env, { withoutKeys: true });
  const { config, mistakes, missing } = checked;
  if (config === undefined) throw invalidConfig(found.file, mistakes);
  // Secrets come from the keeper, which has them, and what others need is not read.
  const needed = missing.filter(({ path }) => path.startsWith(`agents.${name}.`));
  if (needed.length > 0) throw missingVariables(found.file, needed);
  return { config, file: found.file };
}

/**
 * Makes the container, starts it, and gives it the order. Leaves nothing behind where that fails.
 * Throws `command-failed` where it does not run, with the reason.
 */
export async function openExamination(place: Place, examined: Examined): Promise<Examination> {
  const { runtime, shell } = place;
  const { interrupted } = shell;
  const { spec, volumes, program: cub } = await planOf(place, examined);
  const { name: container } = spec;
  // Only what is its own: the rest is the instance's, and is there.
  const own = volumes.filter(({ labels }) => labels.component === "examination");
  // In a cluster all of them are folders of the pod, or what the cluster has itself.
  if (examined.isApart !== true) requireVolumes(spec, [...place.parts.volumes, ...own]);
  const remove = removerOf(runtime, container, own);
  const attend: Examination["attend"] = (words, attended) =>
    untilInterrupted(() => runtime.attend(container, [...cub, ...words], attended), {
      ...{ interrupted, remove },
    });
  try {
    for (const volume of own) await runtime.apply.makeVolume(volume);
    requireTime(interrupted);
    await runtime.apply.start(spec);
    await untilRunning(runtime, container, shell);
    await giveOrder(attend, examined.order);
  } catch (error) {
    await remove().catch((why: unknown) => {
      throw staying(error, why);
    });
    throw error;
  }
  return { container, attend, [Symbol.asyncDispose]: remove };
}

function requireTime({ aborted: isOver }: AbortSignal): void {
  if (isOver) throw new SettError("interrupted", "Interrupted.");
}

/** The removal ends what is attended as well. */
async function untilInterrupted(
  attend: () => Promise<number>,
  { interrupted, remove }: { interrupted: AbortSignal; remove: () => Promise<void> },
): Promise<number> {
  requireTime(interrupted);
  const end = () => void remove().catch(() => undefined);
  interrupted.addEventListener("abort", end, { once: true });
  try {
    return await attend();
  } finally {
    interrupted.removeEventListener("abort", end);
    requireTime(interrupted);
  }
}

/**
 * A cluster says only later whether a node can run it. Throws `command-failed` where none does, and
 * `interrupted`.
 */
export async function untilRunning(
  runtime: Pick<Runtime, "observe">,
  container: string,
  { interrupted, messages }: Pick<Shell, "interrupted" | "messages">,
): Promise<void> {
  let shown: string | undefined;
  const runs = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const found = await runtime.observe.find(container);
      if (found?.state.state === "running") return;
      const { isFinal, limitMs, sentence } = found?.problem ?? {};
      // A problem with a limit may pass by itself in a moment.
      const isLasting = isFinal === false && limitMs === undefined;
      if (isLasting && shown === undefined) messages.note(`${container} waits: ${sentence}`);
      if (isLasting) shown = sentence;
      await sleep(lookEveryMs, signal);
    }
  };
  try {
    await awaitPart(runtime, container, runs, interrupted);
  } catch (error) {
    if (!(error instanceof PartFailed)) throw error;
    const { others } = await readLines(runtime, container).catch(() => ({ others: [] }));
    throw new SettError("command-failed", `${error.message}.`, {
      hint: others.length > 0 ? others.join("\n") : error.remedy,
      cause: error,
    });
  }
}

async function giveOrder(attend: Examination["attend"], order: ExaminationOrder): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(order));
  const said: Uint8Array[] = [];
  const exitCode = await attend(["--examine-order"], {
    input: (async function* () {
      yield bytes;
    })(),
    onOutput: async (_, piece) => void said.push(piece),
  });
  if (exitCode === 0) return;
  throw new SettError("command-failed", "The container has not taken the inputs of the grant.", {
    hint: Buffer.concat(said).toString().trim(),
  });
}

/**
 * No later step knows of these parts: an Engine that refuses once is asked once more, and what it
 * keeps does not keep it from removing the rest. Rejects with the first failure.
 */
export function removerOf(
  { apply }: { apply: Pick<Runtime["apply"], "remove" | "removeVolume"> },
  container: string,
  volumes: readonly { name: string }[],
): () => Promise<void> {
  const removeAll = async () => {
    const steps = [
      () => apply.remove(container),
      ...volumes.map(
        ({ name }) =>
          () =>
            apply.removeVolume(name),
      ),
    ];
    const failures: unknown[] = [];
    for (const step of steps)
      await step()
        .catch(step)
        .catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  let removed: Promise<void> | undefined;
  // An interruption and the end of the command may both ask for it.
  return () => {
    removed ??= removeAll();
    return removed;
  };
}

/** `error`: why the container was not opened. `why`: why some of it is still there. */
export function staying(error: unknown, why: unknown): SettError {
  const first = oneError(error);
  const code = first instanceof SettError ? first.code : "docker-failed";
  const message = `${messageOf(first)} Not all that was made for it could be removed: ${messageOf(why)}`;
  return new SettError(code, message, { hint: "`sett down` removes the rest.", cause: error });
}

/** The Engine would make one that is missing, with nothing in it. */
function requireVolumes(spec: ContainerSpec, there: readonly { name: string }[]): void {
  const missing = spec.mounts.find(
    (mount) => mount.kind === "volume" && !there.some(({ name }) => name === mount.volume),
  );
  if (missing === undefined) return;
  throw new SettError("not-ready", `What an agent has at ${missing.target} is not there.`, {
    hint: "Another version of Sett, or of sett.yml, has started the agents: sett up",
  });
}

async function planOf(place: Place, { image, config, agent, how, ...more }: Examined) {
  const { runtime, repository, parts, shell } = place;
  const { instance } = parts;
  const { version } = shell;
  const isApart = more.isApart === true;
  const machine = await runtime.observe.check();
  const translation = await more.translation(repository);
  const labels = parts.containers.find(({ labels: { id } }) => id !== undefined)?.labels;
  if (labels?.id === undefined)
    throw new SettError("not-ready", `${instance} is not up.`, { hint: "Start it: sett up" });
  const input: PlanInput = {
    ...{ instance, id: labels.id, workspace: labels.workspace, version, config, machine },
    registrations: [],
    repository: {
      foldersFor: (reader) => repository.exchange(instance).foldersFor(reader),
      user: usersOf(machine, repository).user,
    },
    images: { orchestrator: image, agents: new Map([[agent.name, image]]) },
    // It has no way to Redis.
    password: "",
    doors: await tlsDoorsOf(config, keptPassword(parts) ?? "", { isApart }),
    isLayered: false,
  };
  const { name, role } = agent;
  const kind = { component: "agent", agent: name, role } as const;
  const own = { instance, workspace: labels.workspace, version, id: labels.id };
  const plan = examinationPlan(agentPlan(input, agent, { ...own, ...kind }), {
    names: namesFor(instance),
    withSecrets: more.withSecrets,
    packs: packsOfLook(input),
  });
  return examinationPart(plan, how, translation);
}

function namesFor(instance: InstanceName) {
  return examinationNames(instance, randomBytes(6).toString("hex"));
}

/**
 * The cub's report, once the container has ended: the last one, which no command can be behind.
 * Throws `command-failed` with its last lines where it has left none, or a part alone.
 */
export async function readReport(
  { observe }: Pick<Runtime, "observe">,
  container: string,
): Promise<ExaminationReport> {
  const { pieces, count, others } = await readLines({ observe }, container);
  if (pieces.length > 0 && pieces.length === count)
    return ExaminationReport.parse(
      JSON.parse(Buffer.from(pieces.join(""), "base64").toString("utf8")),
    );
  const what = pieces.length === 0 ? "without a report" : "with a part of its report alone";
  throw new SettError("command-failed", `The container has ended ${what}.`, {
    hint: others.join("\n"),
  });
}

/** `others`: the last lines that are not of the report. */
async function readLines({ observe }: Pick<Runtime, "observe">, container: string) {
  let pieces: string[] = [];
  let count = 0;
  const others: string[] = [];
  for await (const { line } of observe.logs(container, { tail: reportLines })) {
    const [, at, of, piece] = pieceOfReport.exec(line) ?? [];
    if (piece === undefined) others.push(line);
    else {
      if (at === "1") pieces = [];
      pieces.push(piece);
      count = Number(of);
    }
    if (others.length > shownLines) others.shift();
  }
  return { pieces, count, others };
}

/**
 * Why the cub has ended its container beside a shell: a limit, or the time. It ends the shell
 * first. Undefined where it goes on.
 */
export async function whyEnded(
  runtime: Pick<Runtime, "observe" | "workers">,
  container: string,
): Promise<SettError | undefined> {
  const code = await runtime.workers
    .wait(container, AbortSignal.timeout(endMs))
    .catch(() => undefined);
  if (code === undefined) return undefined;
  const report = await readReport(runtime, container).catch(() => undefined);
  return report?.outcome === "refused" ? new SettError("command-failed", report.reason) : undefined;
}
