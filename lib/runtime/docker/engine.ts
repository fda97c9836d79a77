// Checks that the Engine answers, and reads what it says of itself.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { EngineInfo } from "../port.ts";
import { askIfThere, isNoEngine } from "./errors.ts";

/** `Architecture` is the kernel's name of it. */
type Info = {
  ID?: string;
  ServerVersion: string;
  Architecture: string;
  NCPU: number;
  MemTotal: number;
  CpuCfsQuota?: boolean;
  SecurityOptions?: string[] | null;
  DockerRootDir?: string;
  Runtimes?: Record<string, unknown>;
  /** Podman alone has it, in its imitation of this API. */
  BuildahVersion?: string;
};

/** As in the names of images. */
const architectures: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

export async function checkEngine(docker: Docker): Promise<EngineInfo> {
  const info: Info | undefined = await askIfThere("tell its version", () => docker.info());
  if (typeof info?.ServerVersion !== "string") throw isNoEngine();
  if (info.BuildahVersion !== undefined) throw isPodman(info.ServerVersion);
  const {
    ID,
    ServerVersion,
    Architecture,
    NCPU,
    MemTotal,
    CpuCfsQuota,
    SecurityOptions,
    DockerRootDir,
    Runtimes,
  } = info;
  const has = (pattern: RegExp) => (SecurityOptions ?? []).some((option) => pattern.test(option));
  return {
    version: ServerVersion,
    architecture: architectures[Architecture] ?? Architecture,
    cpus: NCPU,
    memoryBytes: MemTotal,
    canLimitSystemCalls: has(/^(?:name=)?seccomp\b/),
    canLimitProcessors: CpuCfsQuota !== false,
    ...withoutUndefined({ runtimes: Runtimes && Object.keys(Runtimes) }),
    isRootless: has(/^(?:name=)?rootless\b/),
    // Several Engines of one machine may have one ID.
    ...(ID !== undefined && { identity: `${ID} ${DockerRootDir ?? ""}`.trim() }),
    ...(has(/^(?:name=)?userns\b/) &&
      withoutUndefined({ firstUser: firstUserIn(DockerRootDir ?? "") })),
  };
}

function isPodman(version: string): SettError {
  const message = `This is Podman ${version}, which Sett does not support: the lock of an instance, and the isolation of its agents, rest on how Docker attaches, names networks and owns volumes, and Podman does these in other ways.`;
  return new SettError("docker-unreachable", message, {
    hint: "Start a Docker Engine; DOCKER_HOST or a context names it.",
  });
}

/**
 * With `userns-remap`, the Engine keeps everything in a folder that is called after the first user
 * of its containers: `…/165536.165536`.
 */
export function firstUserIn(rootDir: string): { uid: number; gid: number } | undefined {
  const [, uid, gid] = /\/(\d+)\.(\d+)\/?$/.exec(rootDir) ?? [];
  return uid === undefined || gid === undefined
    ? undefined
    : { uid: Number(uid), gid: Number(gid) };
}
