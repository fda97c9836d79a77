// Refuses before images are built what this machine cannot give.
import type { ProblemAt } from "../../../../lib/config/parse-config.ts";
import { unusableHere } from "../../../../lib/config/problems.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import type { EngineInfo, EngineRuntime, InstanceParts } from "../../../../lib/runtime/port.ts";
import { servesPacks } from "../../services/packs.ts";
import { absentRuntimes } from "./absent-runtimes.ts";
import { unusableApiPort } from "./api-port.ts";
import { beyondEngine } from "./beyond-engine.ts";
import { requireAddresses } from "./require-addresses.ts";
import { tooManyFiles } from "./too-many-files.ts";

type Input = {
  file: string;
  config: SettConfig;
  problemAt: ProblemAt;
  /** The instance as it is. */
  before: InstanceParts | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /**
   * Undefined where the parts are processes of this machine. `labels`: those of the networks to be.
   */
  engine:
    | { info: EngineInfo; runtime: Pick<EngineRuntime, "apply" | "engine">; labels: PartLabels }
    | undefined;
};

/**
 * Throws `config-invalid`, with the line of each key, and `docker-failed` where the Engine has no
 * addresses.
 */
export async function requireUsable({
  file,
  config,
  problemAt,
  before,
  env,
  engine,
}: Input): Promise<void> {
  const ofEngine =
    engine === undefined
      ? [
          ...unpreparable(config, withoutContainers),
          ...unisolated(config),
          ...withServices(config, noContainers),
        ]
      : beyondEngine(config, engine.info);
  const findings = [
    ...ofEngine,
    ...(servesPacks(config) ? unpreparable(config, withPacks) : []),
    ...(await unusableApiPort(config, before, env)),
  ];
  // An Engine is asked only where the file alone shows no mistake.
  if (engine !== undefined && findings.length === 0)
    findings.push(...(await tried(config, engine)));
  const problems = findings.map(({ path, sentence }) => problemAt(path, sentence));
  if (problems.length > 0) throw unusableHere(file, problems);
  if (engine !== undefined) await requireAddresses({ ...engine, config, before });
}

async function tried(
  config: SettConfig,
  { info, runtime, labels }: NonNullable<Input["engine"]>,
): Promise<ReturnType<typeof beyondEngine>> {
  const { takesRuntime } = runtime.engine;
  const known = info.runtimes ?? [];
  return [
    ...(await tooManyFiles(config, runtime.engine, labels)),
    ...(await absentRuntimes(config, { takesRuntime, known, labels })),
  ];
}

/** A process of this machine has a folder of its own, and nothing lies below it. */
const withoutContainers =
  "needs containers: leave it out with `--runtime process`, where `command` can prepare what it needs";
/** What is prepared lies below a checkout that is made from the store as a folder. */
const withPacks =
  "needs the repository's folders: leave it out with `services.packs: service`, where `command` can prepare what it needs";

/** A person who asks for another kernel must not get a process without one. */
function unisolated({ agents, isolation }: SettConfig): ReturnType<typeof beyondEngine> {
  const sentence =
    "needs containers: leave it out with `--runtime process`, where nothing is isolated";
  return [
    ...(isolation === undefined ? [] : [{ path: ["isolation"], sentence }]),
    ...agents
      .filter((agent) => agent.isolation !== undefined)
      .map(({ name }) => ({ path: ["agents", name, "isolation"], sentence })),
  ];
}

const noContainers =
  "need containers: leave them out with `--runtime process`, where `command` can start what it needs";

function withServices({ agents }: SettConfig, sentence: string): ReturnType<typeof beyondEngine> {
  return agents
    .filter(({ services }) => services.length > 0)
    .map(({ name }) => ({ path: ["agents", name, "services"], sentence }));
}

function unpreparable({ agents }: SettConfig, sentence: string): ReturnType<typeof beyondEngine> {
  return agents
    .filter(({ workspace }) => workspace.prepare !== undefined)
    .map(({ name }) => ({ path: ["agents", name, "workspace", "prepare"], sentence }));
}
