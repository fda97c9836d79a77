// A part of an instance as data: what it is made from, and what it needs, whatever runs it. How a
// need is met (a socket in a volume, a port, a path) is said by each runtime's translate.ts.
import type { AgentRegistration } from "../model/agent.ts";
import type { AgentName } from "../model/ids.ts";
import type { Prepare } from "../model/prepare.ts";
import type { Proof } from "../model/proven-address.ts";
import type {
  ContainerSpec,
  Healthcheck,
  Mount,
  Owner,
  Resources,
  SidecarSpec,
} from "./container-spec.ts";
import type { PartKind, PartLabels } from "./labels.ts";

/** Sett's own programs, by the names of their images. */
export type Program = "orchestrator" | "gateway" | "api" | "cub";

/**
 * `door`: the way into a service, by a name. Where each agent has a way of its own, `agent` names
 * it; the API may have one as well, and a person who looks at a grant.
 */
type Way = { door: string; agent?: AgentName | "api" | "user" };

/** A user of Redis. */
export type Login = { name: string; password: string };

/**
 * How many workers each agent may have, and what is prepared for them. `secrets`: what the command
 * of `prepare` sees of its own. `idleMs`: its workers last, until no work has come for so long.
 * `turnMs`: after so long they take no more. `beside`: how many of the replicas are containers that
 * are planned.
 */
export type Scale = {
  agent: AgentName;
  replicas: number;
  idleMs?: number;
  turnMs?: number;
  beside?: number;
  prepare?: Prepare;
  secrets?: { mounts: readonly Mount[]; env: Readonly<Record<string, string>> };
  /** The services beside each worker. */
  sidecars?: readonly PlannedSidecar[];
};

export type PlannedSidecar = Omit<SidecarSpec, "image"> & { image: PartPlan["image"] };

/** What is prepared for an agent reaches the proxy as itself. */
export type Proofs = ReadonlyMap<AgentName, Proof>;

/**
 * `layer`: the shared volume, which is at `target` for reading, as `variable` says. `upper`: the
 * volume of what is written.
 */
export type Over = { layer: string; upper: string; target: string; variable: string };

/**
 * A variable whose value is exactly the `target` of a folder names that folder. Every `variable` is
 * set by the runtime, with what the part must know to use what it needs.
 */
export type Need =
  | Mount
  /**
   * A volume of its own, which it alone writes. `over`: it begins with the files of a volume that
   * others share, where a runtime can do so.
   */
  | {
      kind: "shelf";
      name: string;
      of: PartKind;
      target: string;
      memoryBytes?: number;
      over?: Over;
    }
  /**
   * A folder of its own for what `up` gives it (`secrets`, below the target) and for commits that
   * it has read (`commits`). `lasting`: a value in place of what it would keep there for itself,
   * where the folder goes with the part.
   */
  | {
      kind: "files";
      name: string;
      of: PartKind;
      target: string;
      secrets: { folder: string; variable: string } | undefined;
      commits: string;
      lasting: { variable: string; value: string };
    }
  /** A file of this machine, or a copy that `up` gives it at `target`. */
  | { kind: "file"; path: string; target: string; variable: string }
  | { kind: "redis"; port: number; login: Login }
  /** `proof`: it is reached by TLS, and this says who asks. */
  | ({ kind: "reach"; variable: string; proof?: Proof } & Way)
  /**
   * It answers others. `agents`: each has a way of its own, and it knows by the way who asks; by
   * TLS, where the service has a `key`.
   */
  | { kind: "serve"; door: string; agents?: readonly string[]; variable?: string; key?: string }
  /**
   * It asks the runtime for something, by the door of the service that holds the runtime. `proof`:
   * it is reached by TLS.
   */
  | {
      kind: "power";
      power: "workers";
      door: string;
      variable: string;
      scales: readonly Scale[];
      proof?: Proof;
    }
  | { kind: "power"; power: "logs"; door: string; variable: string; proof?: Proof }
  /** It holds the runtime itself, for others who must not. */
  | { kind: "engine"; power: "workers"; scales: readonly Scale[]; proofs?: Proofs }
  | { kind: "engine"; power: "logs" }
  /** The commits of the instance, and where it leaves its own. `variable`: names the folder. */
  | {
      kind: "store";
      folders: readonly { path: string; target: string; access: "ro" | "rw"; variable?: string }[];
    }
  /**
   * The secrets of agents, a file each, where the runtime keeps them itself and `up` has no value
   * of theirs to give.
   */
  | { kind: "kept-secrets"; target: string; variable: string }
  /**
   * The repository itself; only the folders of `writable` can be written to. `copy`: where it is
   * not to be seen, the folder in which the part makes one for itself, and the variable with it.
   */
  | {
      kind: "repository";
      toplevel: string;
      commonDir: string;
      writable: readonly string[];
      variable: string;
      filesVariable: string;
      copy: { folder: string; variable: string };
    }
  /** The cub, with what it runs: git, and the libraries of both. */
  | { kind: "cub"; healthcheck: Omit<Healthcheck, "command"> };

/**
 * `any`: a free port of this machine leads to it. `variables`: get the port and the address at
 * which it listens.
 */
export type ListeningPort = {
  port: number;
  published: "any" | "no" | { port: number; address: string };
  variables?: { port: string; address: string };
  /** Gets the port where another port than this one is the part's own. */
  otherPortVariable?: string;
};

export type PartPlan = {
  /** Its container's name. */
  name: string;
  labels: PartLabels;
  image: { tag: string; id: string };
  /** Also runs beside the part, to ask it something. */
  program: Program;
  /**
   * How it starts, where its image does not say it. A script is for a shell; its data is in
   * `folder`. `socket`: where it answers others; undefined where it answers at the port alone.
   */
  start?:
    | { args: string[] }
    | { sleep: string }
    | { script: (at: { port: number; socket?: string }) => string; folder: string };
  env: Record<string, string>;
  /** Default: that of its image. */
  workingDir?: string;
  needs: readonly Need[];
  /**
   * Whom it may connect to by itself. `instance`: Sett's other services and the outside; `open`:
   * the outside alone.
   */
  network: "instance" | "open" | "none";
  /**
   * It has no sockets. Where containers have networks, one of its own leads it to the services that
   * it needs, and nowhere else.
   */
  isWithoutSockets?: boolean;
  /** It is in the network of this agent, with the services that the agent reaches. */
  besideAgent?: AgentName;
  /** It connects to programs of this machine, by the name `host.docker.internal`. */
  reachesMachine?: boolean;
  /** The one place outside that it connects to, as a URL. */
  reachesAt?: string;
  /** It exists only to keep others apart. A runtime that isolates nothing does without it. */
  isBarrier?: boolean;
  /** The port where it says that it is well. Undefined: by a file, or nothing ever asks. */
  healthPort?: number;
  /** The ports beside the doors, and the place of this machine that each has. */
  ports?: readonly ListeningPort[] | undefined;
  user: Owner;
  resources: Resources;
  pidsLimit: number;
  stopTimeoutSeconds: number;
  /** All else that an agent's command may do or not. */
  confinement?: Pick<
    ContainerSpec,
    "isInit" | "isRootReadOnly" | "systemCalls" | "stopSignal" | "runtime"
  >;
  /** Default: that of its image. */
  healthcheck?: ContainerSpec["healthcheck"];
  /** The part reads it at its start alone: another registration is another part. */
  registration?: AgentRegistration | undefined;
};

/**
 * A volume that must be there before its part starts. `owner`: who may write to it; where there are
 * images, `image` is any of them, and nothing of it runs. `content`: what an image has at `path`,
 * with the file `readable` of it as one that everybody may read.
 * `memoryBytes`: it is in memory, for its owner alone, may have so many bytes, and is empty again
 * when no part uses it. `over`: the names of the volume whose files it begins with, where that can
 * be, and of the one that has what is written to it.
 */
export type PlannedVolume = {
  name: string;
  labels: PartLabels;
  owner?: Owner;
  image?: string;
  content?: { image: string; path: string; readable?: string };
  memoryBytes?: number;
  over?: { layer: string; upper: string };
};

/**
 * `isolating`: its containers do not reach each other. `closed`: they reach each other, and nothing
 * else. `members`: the containers of services that are in it beside their own network.
 */
export type PlannedNetwork = {
  name: string;
  labels: PartLabels;
  kind: NetworkKind;
  members: readonly string[];
};
export type NetworkKind = "usual" | "isolating" | "closed";

/**
 * A part as one runtime makes it. `program`: a command beside it, to which arguments are added.
 * `copies`: files of this machine that `up` reads for it, by the names that it has for them.
 */
export type PlannedPart = {
  spec: ContainerSpec;
  program: readonly string[];
  volumes: PlannedVolume[];
  copies?: Readonly<Record<string, string>>;
};

/** A runtime's way of meeting what parts need. Pure. */
export type Translation = {
  /** In their order, without those that this runtime does without. */
  parts(plans: readonly PartPlan[]): { plan: PartPlan; planned: PlannedPart }[];
  networks(plans: readonly PartPlan[]): PlannedNetwork[];
  /** Whether parts see the files of this machine, so that none need be given to them. */
  seesFiles: boolean;
};
