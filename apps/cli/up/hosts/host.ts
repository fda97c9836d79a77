// `sett up` does this in one runtime alone, before and after it applies a plan.
import type { ProblemAt } from "../../../../lib/config/parse-config.ts";
import type { HostRepository } from "../../../../lib/git/repository/host-repository.ts";
import type { KeptId } from "../../../../lib/git/repository/kept-id.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import type { ClusterSecret } from "../../../../lib/model/config-secrets.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import type { PartPlan, Translation } from "../../../../lib/runtime/part-plan.ts";
import type { EngineInfo, InstanceParts } from "../../../../lib/runtime/port.ts";
import type { Cassettes, PlanInput } from "../../services/input.ts";
import type { Progress } from "../../terminal/progress.ts";
import type { Shell } from "../../terminal/shell.ts";
import type { DataPlace, RedisPart } from "./data-place.ts";

/** These are known before the instance is looked at. */
export type HostInput = {
  file: string;
  /** As it is written. */
  config: SettConfig;
  repository: HostRepository;
  instance: InstanceName;
  cassettes: Cassettes | undefined;
  progress: Progress;
  /** Builds unchanged images, too. */
  isRebuild: boolean;
  shell: Shell;
};

/** The instance as it is, and its id. */
export type Known = {
  id: string;
  before: InstanceParts | undefined;
  kept: KeptId;
  engine: EngineInfo;
  /** Its parts can have folders of this machine, and this machine reaches ports of theirs. */
  isNear: boolean;
};

export type Images = PlanInput["images"];

export type Host = {
  /** As this runtime can run it; after `isNear` as this Engine can. */
  readonly config: SettConfig;
  /** Its parts have an environment of their own, and not that of this machine. */
  isInContainer: boolean;
  /** The value of a Secret that its cluster has. Throws `config-invalid`. */
  secretIn?(secret: ClusterSecret): Promise<Buffer>;
  /** Its parts share no sockets: all services that agents need are reached by TLS. */
  isApart?: true;
  /** Makes what the lock of an instance needs. */
  prepare(): Promise<void>;
  /** The place of an instance that this machine does not find by itself. */
  place?: string;
  /** It is tried. */
  isNear(known: Pick<Known, "id">): Promise<boolean>;
  /** Throws `instance-taken` where a name that the instance needs is another's. */
  takeNames(known: Pick<Known, "id" | "kept">): Promise<void>;
  /** Throws `config-invalid` and `docker-failed` for what this runtime cannot do. */
  requireUsable(known: Known, problemAt: ProblemAt): Promise<void>;
  /** Throws `image-not-found` and `build-failed`. `built`: receives the names of new images. */
  images(known: Known, built: string[]): Promise<Images>;
  /** After `images`. */
  translation(plans: readonly PartPlan[], known: Known): Promise<Translation>;
  dataOf(redis: RedisPart): DataPlace;
  /** Where its API is; undefined: at an address of this machine. */
  apiOf?(instance: InstanceName): string;
  /** Removes what the instance no longer needs, once it is up. */
  tidy(images: Images, known: Known): Promise<void>;
};

/** In a rootless Engine it is the user who runs the Engine, and has the rights of no other. */
const rootOfContainers = { uid: 0, gid: 0 };

/** The user as which agents run, and the user of this machine that this is. */
export function usersOf(engine: EngineInfo, { place: { containerUser } }: HostRepository) {
  const { uid, gid } = engine.firstUser ?? rootOfContainers;
  return {
    user: engine.isRootless ? rootOfContainers : containerUser,
    writer: { uid: uid + containerUser.uid, gid: gid + containerUser.gid },
  };
}
