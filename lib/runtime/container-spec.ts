// The specification of a container, in Sett's words.
import type { AgentName } from "../model/ids.ts";
import type { PartLabels } from "./labels.ts";

/** The owner of files and processes, as numbers: an image need not know the user. */
export type Owner = { uid: number; gid: number };

export type Mount =
  /** A volume is mounted as it is: the image's own content at `target` is never copied into it. */
  | { kind: "volume"; volume: string; target: string; access: "ro" | "rw" }
  /** `path` must exist on the host. */
  | { kind: "bind"; path: string; target: string; access: "ro" | "rw" }
  /** In memory; every user may write, and programs in it may run. */
  | { kind: "tmpfs"; target: string; sizeBytes: number }
  /** In memory, for small files that only the container's `user` may read and write. */
  | { kind: "secrets"; target: string; sizeBytes: number };

export type Healthcheck = {
  /** Run inside the container without a shell; exit code 0 is healthy. */
  command: string[];
  /** Also the time until the first check. */
  intervalMs: number;
  timeoutMs: number;
  retries: number;
  /** Failures within this time after the start do not count. */
  startPeriodMs: number;
};

export type Resources = {
  /** 1e9 is one processor. */
  nanoCpus?: number;
  memoryBytes?: number;
  /**
   * A weight against other containers when processors are short, not a guarantee: Engines have no
   * other.
   */
  reservedNanoCpus?: number;
  reservedMemoryBytes?: number;
  /** How many files one process may have open. */
  openFiles?: number;
  /** The size of one file; a process that writes more gets SIGXFSZ. */
  fileBytes?: number;
  /**
   * How many signals and timers may wait. The kernel counts those of all processes of a user, and
   * refuses a process by its own limit.
   */
  pendingSignals?: number;
  /** The limit of message queues (POSIX), which the kernel counts in the same way. */
  queueBytes?: number;
  /**
   * The kernel's adjustment from -1000 to 1000: who has more is ended first when the machine's
   * memory is used up.
   */
  oomScore?: number;
};

/**
 * Workers of these agents run in `namespace`, and reach the services of their instance, which are
 * in `home`.
 */
export type WorkersPlace = {
  home: string;
  namespace: string;
  agents: readonly { agent: AgentName; network: ContainerSpec["network"] }[];
};

/** The logs of an instance are read in `home`, and of its workers where it has some. */
export type LogsPlace = { home: string; workers?: string };

/**
 * A service beside a container: in its network space, where both are `localhost` to each other, and
 * there for as long as it. `ready`: a command in it, whose exit code 0 says that it is ready; it
 * runs without a shell.
 */
export type SidecarSpec = Pick<
  ContainerSpec,
  "image" | "command" | "env" | "user" | "pidsLimit"
> & {
  name: string;
  resources: Resources;
  ready?: string[];
  /** How long it may take until it is ready. */
  readyMs: number;
};

export type SecretFile = { file: string; secret: string; key: string };

/** No container can gain privileges. */
export type ContainerSpec = {
  name: string;
  image: string;
  labels: PartLabels;
  /** Replaces the image's entrypoint, and its command with it. */
  entrypoint?: string[];
  command?: string[];
  /** Added to the image's own. */
  env: Record<string, string>;
  workingDir?: string;
  /** Default: the image's own user. */
  user?: Owner;
  /** Further groups of the user, as numbers. */
  groups?: number[];
  mounts: Mount[];
  /**
   * `none`: the container has no network but its own loopback. `isClosed`: no name of others is
   * looked up from there. `also`: a second one, for its own services.
   */
  network?: { name: string; aliases: string[]; isClosed?: true; also?: string } | "none";
  /**
   * A name under which the container reaches this machine. A process of this machine has no such
   * name.
   */
  hostAlias?: string;
  /**
   * Published on 127.0.0.1, unless `hostAddress` names another address of this machine. Without a
   * `hostPort` the system chooses a free one, anew at every start of the container. A process of
   * this machine needs one, and listens on it itself. `isInside`: it is published nowhere.
   */
  ports?: { port: number; hostPort?: number; hostAddress?: string; isInside?: true }[];
  /** The Engine's name of what runs it. Default: the Engine's own. */
  runtime?: string;
  /**
   * Only in a cluster: from where its image is, and on which nodes it may run. `deadlineSeconds`:
   * after so long on a node it is ended, whatever it does. `workers`: the part may start some.
   * `logs`: it may read those of the instance.
   * `secrets`: the files of a volume, by its name, which are keys of Secrets that the cluster has.
   * `takes`: the program that each new pod of it gives what `up` has given the one before.
   * `copies`: files of this machine come with that.
   * `reachesAt`: the one place outside that it connects to, as a URL. `beside`: the part on whose
   * node it must be, which runs.
   */
  placement?: {
    pullSecret?: string;
    nodeSelector?: Readonly<Record<string, string>>;
    deadlineSeconds?: number;
    workers?: WorkersPlace;
    logs?: LogsPlace;
    secrets?: Readonly<Record<string, readonly SecretFile[]>>;
    takes?: string;
    copies?: true;
    reachesAt?: string;
    beside?: string;
  };
  capabilities: "none" | "default";
  /** The entrypoint itself is process 1 and reaps orphans; else the Engine's init does. */
  isInit?: boolean;
  isRootReadOnly?: boolean;
  /**
   * `narrow`: fewer than the runtime allows by itself, which the machine must know how to do.
   * Nothing in it can then send SIGSYS.
   */
  systemCalls?: "narrow";
  pidsLimit?: number;
  /** `none`: it has no check, also where its image names one. Default: that of the image. */
  healthcheck?: Healthcheck | "none";
  restart: "no" | "unless-stopped";
  /** A worker alone has some. They are ready before it starts, in this order. */
  sidecars?: readonly SidecarSpec[];
  resources?: Resources;
  /**
   * This signal asks the entrypoint to stop, whatever its image names. Default: SIGTERM. A process
   * of this machine knows no other.
   */
  stopSignal?: "SIGTERM" | "SIGSYS";
  /**
   * Between that signal and SIGKILL, where the caller that stops the container names no other time.
   */
  stopTimeoutSeconds?: number;
};
