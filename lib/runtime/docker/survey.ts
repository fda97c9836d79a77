// Asks an Engine for `sett doctor`: how it isolates and limits containers, what time it has, and
// what containers were given.
import type Docker from "dockerode";
import { sleep } from "../../async/sleep.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import { type BuildKitPlace, lackOfBuildKit } from "./buildkit.ts";
import type { HostEnvironment } from "./docker-config.ts";
import { checkEngine } from "./engine.ts";
import { ask, askIfThere, reasonOf } from "./errors.ts";
import { findEngine } from "./find-engine.ts";
import { limitAnswers } from "./limit-answers.ts";
import { namingEngine } from "./naming-engine.ts";
import { openEngine } from "./open-engine.ts";
import { limitIn } from "./patience.ts";

export type EngineSurvey = {
  version: string;
  /** The version of its API, such as `1.41`. */
  api: string;
  /** `amd64`, `arm64`, as in image names. */
  architecture: string;
  /**
   * The names alone: `seccomp`, `apparmor`, `userns`, `rootless`. A filter that is switched off is
   * left out.
   */
  security: string[];
  limits: { memory: boolean; pids: boolean; cpu: boolean };
  warnings: string[];
  /**
   * Why a Dockerfile that needs BuildKit cannot be built from here, as a clause; undefined where it
   * can.
   */
  lackOfBuildKit: string | undefined;
  /** The folder of images and volumes; on the Engine's machine. */
  rootDir: string;
  /** Its clock, in milliseconds since 1970; it was read between the two times of this machine. */
  time: { atMs: number; betweenMs: [number, number] };
};

export type ContainerSurvey = {
  /** As the Engine has it: empty means root. */
  user: string;
  isPrivileged: boolean;
  isRootReadOnly: boolean;
  /** Without `ALL` dropped, those that the Engine gives to every container are there, too. */
  capabilities: { added: string[]; isAllDropped: boolean };
  canGainPrivileges: boolean;
  ports: { port: number; address: string; hostPort: number }[];
  /** `none`, `host`, and the names of others: all that it is in now. */
  networks: string[];
  /** The Engine's name of what runs it. */
  runtime: string;
  /** Undefined where there is no limit. */
  limits: { memoryBytes: number | undefined; pids: number | undefined };
  /** Folders that the image declares as `VOLUME`, and that have a nameless volume each. */
  imageVolumes: string[];
  /**
   * The words of its last health check, where that failed and counts; empty where there were none.
   */
  failedCheck: string | undefined;
};

type DiskUse = {
  Volumes?: { Name: string; UsageData?: { Size: number } | null }[] | null;
};

type Info = {
  SecurityOptions?: string[] | null;
  Warnings?: string[] | null;
  MemoryLimit?: boolean;
  PidsLimit?: boolean;
  CpuCfsQuota?: boolean;
  DockerRootDir?: string;
  SystemTime?: string;
};

/**
 * `limitMs`: how long the Engine may take for each answer, unless `env` allows it longer. Asks the
 * Engine that `findEngine` finds. `container` resolves to undefined when there is none of that
 * name.
 */
export async function dockerSurvey(
  env: HostEnvironment,
  limitMs: number,
): Promise<{
  engine(): Promise<EngineSurvey>;
  container(name: string): Promise<ContainerSurvey | undefined>;
  /** How many bytes are in each volume, by its name; those that the Engine does not count not. */
  volumeSizes(): Promise<ReadonlyMap<string, number>>;
}> {
  const address = await findEngine(env);
  const docker = await openEngine(address, env);
  limitAnswers(docker, limitIn(env, limitMs));
  const survey = {
    engine: () => surveyEngine(docker, { address, env }),
    container: async (name: string) => {
      const info = await askIfThere(`look for the container ${name}`, () =>
        docker.getContainer(name).inspect(),
      );
      return info === undefined ? undefined : surveyOf(info);
    },
    volumeSizes: async () => {
      const { Volumes }: DiskUse = await ask("say how large its volumes are", () =>
        diskUse(docker, limitMs),
      );
      return new Map(
        (Volumes ?? []).flatMap(({ Name, UsageData }) =>
          UsageData === undefined || UsageData === null || UsageData.Size < 0
            ? []
            : [[Name, UsageData.Size] as const],
        ),
      );
    },
  };
  return namingEngine(survey, address, env);
}

/**
 * The Engine looks at every file of its volumes, and older ones (before 23.0) do that for one asker
 * at a time and refuse every other: their turn comes within `limitMs`, or the refusal is thrown.
 */
async function diskUse(docker: Docker, limitMs: number): Promise<DiskUse> {
  const over = AbortSignal.timeout(limitMs);
  for (;;) {
    try {
      return await docker.df();
    } catch (error) {
      if (over.aborted || !/already running/.test(reasonOf(error))) throw error;
      await sleep(100, over);
    }
  }
}

/** Throws `docker-unreachable`. */
async function surveyEngine(docker: Docker, place: BuildKitPlace): Promise<EngineSurvey> {
  const { version, architecture } = await checkEngine(docker);
  const lack = await lackOfBuildKit(place);
  const { ApiVersion: api } = await ask("tell its version", () => docker.version());
  const before = Date.now();
  const info: Info = await ask("describe itself", () => docker.info());
  return {
    version,
    api,
    architecture,
    security: (info.SecurityOptions ?? []).flatMap(securityName),
    limits: {
      memory: info.MemoryLimit === true,
      pids: info.PidsLimit === true,
      cpu: info.CpuCfsQuota === true,
    },
    warnings: info.Warnings ?? [],
    lackOfBuildKit: lack,
    rootDir: info.DockerRootDir ?? "",
    time: { atMs: Date.parse(info.SystemTime ?? ""), betweenMs: [before, Date.now()] },
  };
}

/** `name=seccomp,profile=default` → `seccomp`. */
function securityName(option: string): string[] {
  const [, name] = /^name=([^,]+)/.exec(option) ?? [];
  return name === undefined || /profile=unconfined/.test(option) ? [] : [name];
}

export function surveyOf({
  Config,
  HostConfig,
  NetworkSettings,
  Mounts,
  State,
}: Docker.ContainerInspectInfo): ContainerSurvey {
  const { user, privileged, readOnly, added, dropped, options, network } = withoutUndefined({
    network: HostConfig.NetworkMode ?? "default",
    user: Config.User,
    privileged: HostConfig.Privileged,
    readOnly: HostConfig.ReadonlyRootfs,
    added: HostConfig.CapAdd,
    dropped: HostConfig.CapDrop,
    options: HostConfig.SecurityOpt,
  });
  return {
    user: user ?? "",
    isPrivileged: privileged === true,
    isRootReadOnly: readOnly === true,
    capabilities: {
      added: listIn(added),
      isAllDropped: listIn(dropped).some((name) => name.toUpperCase() === "ALL"),
    },
    canGainPrivileges: !listIn(options).some((option) =>
      /^no-new-privileges(?:[:=]true)?$/.test(option),
    ),
    // The Engine says null for a port that is exposed but not published.
    ports: Object.entries(NetworkSettings.Ports ?? {}).flatMap(([port, bindings]) =>
      (bindings ?? []).map(({ HostIp, HostPort }) => ({
        port: Number.parseInt(port, 10),
        address: HostIp,
        hostPort: Number(HostPort),
      })),
    ),
    networks: networksOf(NetworkSettings.Networks, network),
    // The Engine says 0, -1 or null for none.
    runtime: HostConfig.Runtime ?? "runc",
    limits: { memoryBytes: limitOf(HostConfig.Memory), pids: limitOf(HostConfig.PidsLimit) },
    imageVolumes: (Mounts ?? []).flatMap(({ Name: name, Destination }) =>
      /^[0-9a-f]{64}$/.test(name ?? "") ? [Destination] : [],
    ),
    failedCheck: failedCheckOf(State),
  };
}

function failedCheckOf({
  Health: health,
}: Docker.ContainerInspectInfo["State"]): string | undefined {
  return health === undefined || health.FailingStreak === 0
    ? undefined
    : (health.Log?.at(-1)?.Output ?? "").trim();
}

/** A container keeps the mode that it was made with, whatever it is connected to later. */
function networksOf(
  connected: Readonly<Record<string, unknown>> | undefined,
  mode: string,
): string[] {
  const names = Object.keys(connected ?? {}).sort();
  return names.length === 0 ? [mode] : names;
}

function limitOf(value: number | null | undefined): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}

/** The Engine says null for an empty list. */
function listIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
