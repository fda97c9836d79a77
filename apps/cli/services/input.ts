// The facts from which the parts of an instance are planned.

import type { HostExchange } from "../../../lib/git/exchange/port.ts";
import type { RepositoryPlace } from "../../../lib/git/run/find-repository.ts";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { TokenDigest } from "../../../lib/model/api-access.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import type { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import type { Owner } from "../../../lib/runtime/container-spec.ts";
import type { Machine } from "./limits.ts";
import type { TlsDoors } from "./reach.ts";

/** The members from `env` on are those that the image itself declares. */
export type PlannedImage = {
  tag: string;
  id: string;
  /** In the registry it came from; undefined for an image that was built here. */
  digest?: string | undefined;
  env: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
  workingDir?: string;
  volumes?: readonly string[];
};

export type PlanInput = {
  instance: InstanceName;
  /** The id of the instance, a label of each part. */
  id: string;
  /** The repository's folder. */
  workspace: string;
  version: string;
  config: SettConfig;
  registrations: readonly AgentRegistration[];
  repository: Pick<HostExchange, "foldersFor"> & { user: Owner };
  /** The gateway's and the API's are undefined where no service runs in them. */
  images: {
    redis?: PlannedImage | undefined;
    orchestrator: PlannedImage;
    gateway?: PlannedImage | undefined;
    api?: PlannedImage | undefined;
    agents: ReadonlyMap<AgentName, PlannedImage>;
    /** The images of services beside agents, by the names in sett.yml. */
    beside?: ReadonlyMap<string, Pick<PlannedImage, "tag" | "id">>;
  };
  /**
   * The password of the instance's Redis, its owner's: letters and digits. Each service gets one
   * that is derived from it.
   */
  password: string;
  /** Certificates in PEM that sign that of a Redis elsewhere. */
  redisCa?: string | undefined;
  machine: Machine;
  /** Agents that are not made anew for each grant begin over one checkout. */
  isLayered: boolean;
  /** Public networks that this machine itself is in. */
  machineNetworks?: readonly string[];
  /** Undefined where agents reach services by sockets. */
  doors?: TlsDoors | undefined;
  /** Undefined where there is neither an API nor a forge. */
  api?: ApiPlace | undefined;
  cassettes?: Cassettes | undefined;
};

/** `tls`: a digest of the certificate, which also says that it has changed. */
export type ApiPlace = {
  tokens: readonly TokenDigest[];
  tls: { id: string } | undefined;
  repository: Pick<RepositoryPlace, "toplevel" | "commonDir">;
  /** `headers`: the name of the file with them, which comes with the secrets of webhooks. */
  telemetry?: { variables: Readonly<Record<string, string>>; headers: string | undefined };
};

/**
 * The folder, on this machine, of recorded calls of models. `replay`: they are answered from it,
 * without a provider.
 */
export type Cassettes = { mode: "record" | "replay"; folder: string };
