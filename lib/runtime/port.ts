// The port to the container runtime, in Sett's words, cut by use: who observes, who applies a plan,
// who starts workers. There are three implementations: Docker, a Kubernetes cluster, and processes
// of this machine, which are not isolated.
//
// Every method throws SettError `docker-unreachable` when the Engine does not answer and
// `docker-failed` when it refuses (for processes `process-failed`); further codes are named where
// they arise. An abort of a `signal` throws `interrupted` unless said otherwise.
import type { Duplex } from "node:stream";
import type { AgentName, InstanceName } from "../model/ids.ts";
import type { ContainerSpec, Owner } from "./container-spec.ts";
import type { PartLabels } from "./labels.ts";
import type { NetworkKind, PlannedVolume } from "./part-plan.ts";

export type EngineInfo = {
  version: string;
  /** `amd64`, `arm64`, as in image names. */
  architecture: string;
  /** How many processors and how much memory its machine has. */
  cpus: number;
  memoryBytes: number;
  /** Whether it can limit the system calls of containers. */
  canLimitSystemCalls: boolean;
  /**
   * Whether it can limit the time on processors. An Engine without root often cannot, and refuses
   * such a container.
   */
  canLimitProcessors: boolean;
  /** The runtimes that it knows by name; undefined where there are none. */
  runtimes?: readonly string[];
  /**
   * It runs without root: root of a container is then the user of this machine who runs the Engine,
   * and other users are no users of it.
   */
  isRootless: boolean;
  /**
   * The user of its machine that root of a container is, where it gives containers other users;
   * user N of one is then that many further.
   */
  firstUser?: { uid: number; gid: number };
  /** It is the same where the Engine and its data are, or the processes; a cluster has none. */
  identity?: string;
};

export type ImageInfo = {
  /** `sha256:…` of the image's configuration; every image has one. */
  id: string;
  /** `name@sha256:…` in the registry it came from; undefined for an image built here. */
  digest: string | undefined;
  architecture: string;
  /** As in the Dockerfile's USER; empty means root. */
  user: string;
  env: Record<string, string>;
  entrypoint: string[];
  command: string[];
  workingDir: string;
  /** The paths of the Dockerfile's VOLUME. */
  volumes: string[];
  labels: Record<string, string>;
};

export type Progress = { onProgress: (line: string) => void; signal?: AbortSignal };

export type BuildSpec = {
  /** For whom it is built, for sentences. */
  agent?: AgentName;
  /** An absolute path. Its `.dockerignore` counts. */
  contextDir: string;
  /** Relative to the context. */
  dockerfile: string;
  args: Record<string, string>;
  tag: string;
  labels: Record<string, string>;
};

export type Images = {
  /** Undefined when the Engine does not have the image. */
  find(tag: string): Promise<ImageInfo | undefined>;
  /** The text of a file of the image; undefined where it has none, or one of more than 256 KiB. */
  readFile(image: string, path: string): Promise<string | undefined>;
  /** Throws `image-not-found` when no registry gives it. */
  pull(tag: string, progress: Progress): Promise<ImageInfo>;
  /**
   * Returns the digest, `sha256:…`, by which the registry of this name has the image. Throws
   * `image-not-found` where it does not take it.
   */
  push(tag: string, progress: Progress): Promise<string>;
  /** Whether the registry of this `name@sha256:…` has it; false also where it does not say. */
  isPushed(digest: string): Promise<boolean>;
  /** Throws `build-failed`; its message ends with the last lines of the build's output. */
  build(spec: BuildSpec, progress: Progress): Promise<ImageInfo>;
  /**
   * Removes the name; the image itself is removed where nothing else needs it. A name that does not
   * exist is fine.
   */
  untag(tag: string): Promise<void>;
  /**
   * Removes the image with this id where it has lost its names. One that something uses, or that
   * has any name, stays: false.
   */
  removeUnnamed(id: string): Promise<boolean>;
  /**
   * Loads the images of an archive that `docker load` could read, uncompressed. An image that had
   * one of the `tags` before, and has no other name, is removed unless something uses it.
   */
  load(
    archive: AsyncIterable<Uint8Array>,
    options: { tags: readonly string[]; signal: AbortSignal },
  ): Promise<void>;
  /**
   * Removes what was built for the instance's agents; returns their names. `ids`: of the images
   * that are known to be its. `begun`: the names of those whose building has perhaps not ended. An
   * image that something else uses stays. `id`: of the instance; those with another one are not
   * its.
   */
  removeBuilt(
    instance: InstanceName,
    own: { id: string | undefined; ids: readonly string[]; begun: readonly string[] },
  ): Promise<string[]>;
};

export type ContainerState =
  | { state: "created" }
  /** `none`: the container has no healthcheck. */
  | { state: "running"; startedAt: string; health: "none" | "starting" | "healthy" | "unhealthy" }
  | { state: "paused" }
  /**
   * It runs, but its supervisor has ended: its output is lost, and nothing starts it again. Only of
   * processes.
   */
  | { state: "unsupervised"; startedAt: string }
  /** Ended, and its restart policy is about to start it again. */
  | { state: "restarting"; exitCode: number }
  | { state: "exited"; exitCode: number; endedAt: string };

/**
 * Why a part has ended, where it was not by itself. `sentence`: a clause. `isDisruption`: a cluster
 * has ended it for reasons of its own.
 */
export type EndCause = { sentence: string; isDisruption: boolean };

export type ContainerPart = {
  id: string;
  name: string;
  labels: PartLabels;
  image: { tag: string; id: string };
  state: ContainerState;
  /** How often the restart policy started it again. */
  restarts: number;
  /**
   * Something in it was killed because it had no more memory, in its present run or in the one
   * before.
   */
  isOutOfMemory: boolean;
  /** The limit of its memory; undefined where there is none. */
  memoryBytes: number | undefined;
  createdAt: string;
  /** The id of the container in whose network space it is, and whose host name it has. */
  sharesNetworkOf?: string;
  env: Record<string, string>;
  /**
   * The ports of this machine that lead to it now; empty unless it runs. `ledBy`: such a port leads
   * there through the runtime, `the Docker Engine at ssh://build`, and only as long as this program
   * runs.
   */
  ports: { port: number; hostPort: number; ledBy?: string }[];
  /**
   * What a cluster says of a part that does not run, such as that no node has room for it.
   * `isFinal`: waiting does not help. `limitMs`: waiting for longer does not. `isDisruption`: the
   * cluster has ended the part for reasons of its own. `remedy`: sentences, where more is known
   * than what the other one says.
   */
  problem?: {
    sentence: string;
    isFinal: boolean;
    limitMs?: number;
    isDisruption?: boolean;
    remedy?: string | undefined;
  };
  /**
   * What the cluster has done to the pod that was there before, such as evict it. `at`: ISO 8601 by
   * the cluster's clock.
   */
  taken?: { sentence: string; at: string };
  /** A starter has the workers that a cluster does not run here, and why. */
  waiting?: { name: string; sentence: string }[];
};

/** `isLaid`: it lies over another one. */
export type VolumePart = { name: string; labels: PartLabels; isLaid?: true };
export type NetworkPart = { id: string; name: string; labels: PartLabels };

/**
 * A thing that has a name of ours, and is not ours. `id`: where several have that name. `adoption`:
 * a command that makes it this instance's, where it may be.
 */
export type Stranger = {
  sort: "container" | "volume" | "network" | "image";
  name: string;
  id?: string;
  adoption?: string;
};

/**
 * All parts of one instance (lib/runtime/own-part.ts). Ordered by name. `removed`: the names, as
 * people say them, of parts that a person has removed and that have left something; only where no
 * volume of theirs says it.
 */
export type InstanceParts = {
  instance: InstanceName;
  containers: ContainerPart[];
  volumes: VolumePart[];
  networks: NetworkPart[];
  removed?: string[];
  /** What is being removed and still there, and what keeps it: only a cluster takes its time. */
  ending?: { words: string; remedy: string | undefined };
};

export type LogLine = {
  stream: "stdout" | "stderr";
  line: string;
  /** ISO 8601 by the Engine's clock, all of the same length: with Docker, in nanoseconds. */
  time: string;
};

export type LogOptions = {
  /**
   * Go on until the container ends. Without it, what is there is read into memory: `tail` bounds
   * it.
   */
  follow?: boolean;
  /** The last so many lines. */
  tail?: number | undefined;
  /** Unix time in seconds, fractions allowed. */
  since?: number;
  /** Ends the lines without an error. */
  signal?: AbortSignal;
};

export type ExecResult = { exitCode: number; stdout: string; stderr: string };

/** `by`: the holder's description of itself, for people; it may be empty. */
export type Lock = HeldLock | { outcome: "taken"; by: string };

/**
 * `lost` aborts when the lock was lost on the way and another process has it by now, or it cannot
 * be taken again. Its reason is a LostLock.
 */
export type HeldLock = AsyncDisposable & { outcome: "held"; lost: AbortSignal };

/** `by`: its holder now. `error`: why it could not be taken again. */
export type LostLock = { by: string } | { error: unknown };

/**
 * A plain file of a volume. `path`: relative. `size`: in bytes. The content must be read before the
 * next file is asked for, or is left out.
 */
export type VolumeFile = { path: string; size: number; content: AsyncIterable<Uint8Array> };

/**
 * The pod by which the files of a claim come and go. `image`: Sett's own orchestrator, of this
 * version.
 */
export type Carrier = {
  image: string;
  pullSecret?: string | undefined;
  nodeSelector?: Readonly<Record<string, string>> | undefined;
};

/** Its user owns the files. */
export type VolumeReader = { owner: Owner; carrier: Carrier };

/** Looks at what is there, and changes nothing. A container is named by its id or its name. */
export type Observe = {
  /** Throws `docker-unreachable`, with what to do about it. */
  check(): Promise<EngineInfo>;
  /**
   * All instances that have any part in this runtime, ordered by name; with `workspace` only those
   * of this repository.
   */
  instances(workspace?: string): Promise<InstanceParts[]>;
  /** Everything of one instance; empty lists when there is nothing. */
  parts(instance: InstanceName): Promise<InstanceParts>;
  /** Undefined when there is none, or it is not one of Sett's. */
  find(container: string): Promise<ContainerPart | undefined>;
  /**
   * Both streams in order, also of a container that has ended. Throws `docker-unreachable` when the
   * connection drops on the way.
   */
  logs(container: string, options?: LogOptions): AsyncIterable<LogLine>;
  /** Runs a command inside, without a shell, as the container's user, and waits for it. */
  exec(
    container: string,
    command: string[],
    options?: { stdin?: string; signal?: AbortSignal },
  ): Promise<ExecResult>;
  /**
   * A stream to a port at which it listens, for programs that reach no published port of it: a
   * runtime elsewhere publishes none here. Throws `not-ready` where nothing answers there.
   */
  connect(container: string, port: number): Promise<Duplex>;
  /**
   * The plain files of a volume, by their names, each folder as it is when its turn comes. One that
   * a program writes meanwhile may be cut.
   * Throws `image-not-found` where there is no image to read it with. `by`: in a cluster.
   */
  readFiles(volume: string, by?: VolumeReader): AsyncIterable<VolumeFile>;
};

/** Brings a plan about, and takes it back. */
export type Apply = {
  /**
   * A lock that is held until it is disposed of, or its process has ended in any way. Where it is
   * lost before, it is taken again, unless another process was quicker. `holder`: the
   * description that other processes get. The signal ends the attempts to acquire it. Throws
   * `image-not-found` when the lock is free and the runtime has no image to hold it with.
   */
  lock(instance: InstanceName, holder: string, signal?: AbortSignal): Promise<Lock>;
  /**
   * Creates and starts a container; leaves nothing behind when that fails. Throws
   * `image-not-found`; `instance-taken` when the name is in use.
   */
  start(spec: ContainerSpec): Promise<{ id: string }>;
  /**
   * Only where a part loses with its place what it has been given: keeps that for its next one, by
   * the arguments of its program, without their dashes, and nothing else that was kept before. Each
   * next one gives them to its program when it begins.
   */
  keepGifts?(
    part: Pick<ContainerSpec, "name" | "labels">,
    texts: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** Starts one that has ended, as it is. Running already is fine. */
  startAgain(container: string): Promise<void>;
  /** Throws `instance-taken` when the name is in use. */
  rename(container: string, name: string): Promise<void>;
  /** A container that has stopped, or does not exist, is fine. Returns once it has ended. */
  stop(container: string, timeoutSeconds: number): Promise<void>;
  /** Killed if it runs. Gone already is fine. Its anonymous volumes go too. */
  remove(container: string): Promise<void>;
  /**
   * Also for a volume that exists: the process that created it may have been killed before it had
   * an owner or content. `kept`: it existed already, with the same instance's labels. Throws
   * `instance-taken` when it is another's, and `image-not-found`.
   */
  makeVolume(volume: PlannedVolume): Promise<"created" | "kept">;
  /**
   * Writes files into a volume in their order, each for its owner alone, with the folders around
   * them. The owner may then write to the volume. `carrier`: in a cluster. Throws
   * `image-not-found`.
   */
  writeFiles(
    volume: string,
    files: AsyncIterable<VolumeFile>,
    options: { owner: Owner; carrier?: Carrier | undefined; signal: AbortSignal },
  ): Promise<void>;
  /** Gone already is fine. */
  removeVolume(name: string): Promise<void>;
  /**
   * Throws `instance-taken` when there is one of that name. Default: `usual`.
   */
  createNetwork(name: string, labels: PartLabels, kind?: NetworkKind): Promise<void>;
  /** A container that is in it already stays. */
  joinNetwork(name: string, container: string): Promise<void>;
  /**
   * By its id, of several of that name. Gone already is fine. Throws `docker-failed` when it is in
   * use; those that have joined it do not count.
   */
  removeNetwork(name: string, id?: string): Promise<void>;
  /**
   * Removes everything of one instance, its running containers killed; `blackboard: "keep"` leaves
   * that volume, and the one with the record of model calls.
   */
  removeInstance(instance: InstanceName, options: { blackboard: "keep" | "remove" }): Promise<void>;
};

/** Starts workers from a template, and sees them end. */
export type Workers = Pick<Observe, "parts" | "find" | "logs"> &
  Pick<Apply, "start" | "remove" | "makeVolume"> & {
    /** Its exit code, once it has ended (at once if it has already). */
    wait(container: string, signal?: AbortSignal): Promise<number>;
    /** Undefined where no volume can lie over another. */
    layers?: LayeredVolumes;
  };

/** Volumes that show another one, and write to a place of their own (docs/internals/layers.md). */
export type LayeredVolumes = {
  /** Makes a volume for what is written, to which `owner` may write once it lies over another. */
  makeUpper(volume: PlannedVolume & { owner: Owner; image: string }): Promise<void>;
  /**
   * Makes the volume that shows `folder` of each volume in `lowers`, the first one before those
   * that come after it, and writes to `upper` alone.
   * Nothing is mounted yet: where the Engine's machine cannot, a container does not start with it.
   * Throws `docker-failed` where the Engine has its volumes at a path that no option can have.
   */
  lay(
    volume: Pick<PlannedVolume, "name" | "labels">,
    over: { lowers: readonly string[]; folder: string; upper: string },
  ): Promise<void>;
  /** Gone already is fine. Throws `docker-failed` while a container uses it. */
  remove(volume: string): Promise<void>;
};

/**
 * A person, or a script, at a command. `terminal`: undefined where it has none, and then its two
 * streams stay apart. `onResize`: until it is disposed of.
 */
export type Attended = {
  input: AsyncIterable<Uint8Array>;
  onOutput(stream: "stdout" | "stderr", bytes: Uint8Array): Promise<void>;
  terminal?:
    | {
        size(): { columns: number; rows: number };
        onResize(listener: () => void): Disposable;
      }
    | undefined;
};

/** Runs a command inside, with what comes in and goes out, to its end: its exit code. */
export type Attend = (container: string, command: string[], attended: Attended) => Promise<number>;

/** An Engine, which others use as well, and which makes containers of images. */
export type Engine = {
  images: Images;
  /**
   * Whether containers can have this folder of this machine, with its files as they are. It is
   * tried. `labels`: those of a part of the instance, for what the trial makes and removes. Throws
   * `image-not-found`.
   */
  seesFolder(folder: string, labels: PartLabels): Promise<boolean>;
  /** Whether one process of a container can have so many files open. It is tried, as above. */
  opensFiles(files: number, labels: PartLabels): Promise<boolean>;
  /** Whether containers can have this runtime, which it does not list. It is tried, as above. */
  takesRuntime(runtime: string, labels: PartLabels): Promise<boolean>;
  /**
   * All that has a name that a part of this instance could need, and is not its: nothing uses it or
   * removes it. Ordered by name.
   */
  strangers(instance: InstanceName): Promise<Stranger[]>;
};

/**
 * A program has only the part of a runtime that it needs: most observe. `attend`: undefined where
 * no grant is looked at. `engine`: only where there is one.
 */
export type Runtime = {
  observe: Observe;
  apply: Apply;
  workers: Workers;
  attend?: Attend;
  engine?: Engine;
};

export type AttendedRuntime = Runtime & { attend: Attend };
export type EngineRuntime = AttendedRuntime & { engine: Engine };
