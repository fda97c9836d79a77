// A container's description, from Sett's words into the Engine's.
import type Docker from "dockerode";
import { unreachable } from "../../model/unreachable.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, Healthcheck, Mount, Resources } from "../container-spec.ts";
import { writeLabels } from "../labels.ts";
import { envList } from "./env.ts";
import { narrowSystemCalls } from "./system-calls.ts";

/** `networkOf`: the container whose network it has, with names and hosts, instead of its own. */
export function containerOptions(
  { network: ownNetwork, hostAlias, ports: ownPorts = [], ...spec }: ContainerSpec,
  networkOf?: string,
): Docker.ContainerCreateOptions {
  const isOwn = networkOf === undefined;
  const network = isOwn && ownNetwork !== "none" ? ownNetwork : undefined;
  const ports = isOwn ? ownPorts : [];
  const withoutOwn = isOwn ? "none" : `container:${networkOf}`;
  return {
    name: spec.name,
    Image: spec.image,
    Labels: writeLabels(spec.labels),
    Env: envList(spec.env),
    ...withoutUndefined({
      Entrypoint: spec.entrypoint,
      Cmd: spec.command,
      WorkingDir: spec.workingDir,
      User: spec.user && `${spec.user.uid}:${spec.user.gid}`,
      StopTimeout: spec.stopTimeoutSeconds,
      // An image may name one that Sett's programs do not know.
      StopSignal: spec.stopSignal ?? "SIGTERM",
      Healthcheck: spec.healthcheck && healthConfig(spec.healthcheck),
    }),
    ExposedPorts: Object.fromEntries(ports.map(({ port }) => [`${port}/tcp`, {}])),
    HostConfig: {
      Mounts: spec.mounts.filter(isStored).map(mountSettings),
      Tmpfs: Object.fromEntries(
        spec.mounts.flatMap((mount) => (isStored(mount) ? [] : [tmpfsEntry(mount, spec.user)])),
      ),
      PortBindings: Object.fromEntries(
        ports.flatMap(({ port, hostPort = 0, hostAddress = "127.0.0.1", isInside }) =>
          isInside
            ? []
            : [[`${port}/tcp`, [{ HostIp: hostAddress, HostPort: String(hostPort) }]] as const],
        ),
      ),
      ...(spec.capabilities === "none" ? { CapDrop: ["ALL"] } : {}),
      ...withoutUndefined({
        GroupAdd: spec.groups?.map(String),
        PidsLimit: spec.pidsLimit,
        Runtime: spec.runtime,
        NetworkMode: isOwn && ownNetwork === undefined ? undefined : (network?.name ?? withoutOwn),
      }),
      // Some Engines ask this machine's own resolver, also from where nothing leads out. A command
      // that asks for another name should not wait for long.
      ...(network?.isClosed && {
        Dns: ["127.0.0.1"],
        DnsOptions: ["timeout:1", "attempts:2", "ndots:0"],
      }),
      ...(isOwn && hostAlias !== undefined && { ExtraHosts: [`${hostAlias}:host-gateway`] }),
      SecurityOpt: [
        "no-new-privileges",
        ...(spec.systemCalls === "narrow" ? [narrowSystemCalls] : []),
      ],
      ReadonlyRootfs: spec.isRootReadOnly ?? false,
      // Neither Bun nor a service's command reaps the orphans that PID 1 inherits.
      Init: spec.isInit !== true,
      RestartPolicy: { Name: spec.restart },
      ...resourceLimits(spec.resources ?? {}),
    },
    ...(network && {
      NetworkingConfig: { EndpointsConfig: { [network.name]: { Aliases: network.aliases } } },
    }),
  };
}

type MemoryMount = Extract<Mount, { kind: "tmpfs" | "secrets" }>;
type StoredMount = Exclude<Mount, MemoryMount>;

function isStored(mount: Mount): mount is StoredMount {
  return mount.kind === "volume" || mount.kind === "bind";
}

function mountSettings(mount: StoredMount): Docker.MountSettings {
  const common = { Target: mount.target, ReadOnly: mount.access === "ro" };
  switch (mount.kind) {
    case "volume":
      return volumeMount(mount.volume, mount.target, {
        isReadOnly: mount.access === "ro",
        isFilled: false,
      });
    case "bind":
      // Given as a mount and not in `Binds`, which would make a missing path, as a folder owned by
      // root.
      return { Type: "bind", Source: mount.path, ...common };
    default:
      return unreachable(mount);
  }
}

/**
 * `isFilled`: an empty volume takes the image's content at `target` when the container is created.
 */
export function volumeMount(
  volume: string,
  target: string,
  { isReadOnly, isFilled }: { isReadOnly: boolean; isFilled: boolean },
): Docker.MountSettings {
  return {
    Type: "volume",
    Source: volume,
    Target: target,
    ReadOnly: isReadOnly,
    VolumeOptions: { NoCopy: !isFilled, Labels: {}, DriverConfig: { Name: "", Options: {} } },
  };
}

function tmpfsEntry(mount: MemoryMount, user: ContainerSpec["user"]): [string, string] {
  // Where the image has no such folder the Engine makes it root's with mode 755, and ignores the
  // mode; with `uid` and `gid` the user may write.
  const owner = user === undefined ? "" : `,uid=${user.uid},gid=${user.gid}`;
  const access =
    mount.kind === "secrets" ? "noexec,nosuid,nodev,mode=0700" : "exec,nosuid,nodev,mode=1777";
  return [mount.target, `rw,${access},size=${mount.sizeBytes}${owner}`];
}

const nanosecondsPerMs = 1e6;

function healthConfig(check: Healthcheck | "none"): Docker.HealthConfig {
  if (check === "none") return { Test: ["NONE"] };
  return {
    Test: ["CMD", ...check.command],
    Interval: check.intervalMs * nanosecondsPerMs,
    Timeout: check.timeoutMs * nanosecondsPerMs,
    StartPeriod: check.startPeriodMs * nanosecondsPerMs,
    Retries: check.retries,
  };
}

/** What the Engine calls 1024 shares is the weight of one processor. */
const sharesPerCpu = 1024;

function resourceLimits(resources: Resources): Docker.HostConfig {
  const { nanoCpus, memoryBytes, reservedNanoCpus, reservedMemoryBytes, oomScore, ...processes } =
    resources;
  const {
    openFiles: nofile,
    fileBytes: fsize,
    pendingSignals: sigpending,
    queueBytes: msgqueue,
  } = processes;
  const ulimits = Object.entries(withoutUndefined({ nofile, fsize, sigpending, msgqueue }));
  return withoutUndefined({
    NanoCpus: nanoCpus,
    Memory: memoryBytes,
    // As much again of swap would be the default.
    MemorySwap: memoryBytes,
    CpuShares:
      reservedNanoCpus === undefined
        ? undefined
        : Math.max(2, Math.round((reservedNanoCpus / 1e9) * sharesPerCpu)),
    MemoryReservation: reservedMemoryBytes,
    // A crash would leave its memory, with what is secret in it, in the current folder.
    Ulimits: [["core", 0] as const, ...ulimits].map(([Name, max]) => ({
      Name,
      Soft: max,
      Hard: max,
    })),
    OomScoreAdj: oomScore,
  });
}
