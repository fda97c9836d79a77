// The facts that `sett doctor` has before it judges.

import type { TraceProblem } from "../../../lib/blackboard/records/trace-problem.ts";
import type { AgentHoldings, Lacking, ShownSize } from "../../../lib/git/exchange/port.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import type { NoticeProblem } from "../../../lib/model/notify.ts";
import type { ContainerSurvey, EngineSurvey } from "../../../lib/runtime/docker/survey.ts";
import type { ContainerPart, ImageInfo } from "../../../lib/runtime/port.ts";
import type { LostEvents } from "../facts/noted-log.ts";
import type { WaitingGoals } from "../instance/retention.ts";
import type { RuntimeName } from "../instance/runtimes.ts";
import type { MistypedKey } from "./find-mistyped.ts";

/** `message` and `hint` as in a SettError. */
export type Silent = { state: "silent"; message: string; hint: string };

/** `files`: as many as its file system can have, where it says so. */
export type Disk = {
  path: string;
  freeBytes: number;
  totalBytes: number;
  files?: { free: number; total: number };
};

/** A clock that was read between two times of this machine, all in milliseconds since 1970. */
export type ClockReading = { atMs: number; betweenMs: [number, number] };

export type EngineFacts = Silent | ({ state: "answers"; disk: Disk | undefined } & EngineSurvey);

/**
 * Events that the orchestrator could not handle and tries again: how many, and the oldest of them.
 */
export type OwedFacts = {
  count: number;
  oldest: { id: string; type: string; reason: string } | undefined;
};

/** `elsewhere`: its URL, where it is not the instance's own. */
export type RedisFacts = { elsewhere?: string } & (
  | Silent
  | {
      state: "answers";
      version: string;
      isAppendOnly: boolean;
      /** The server that it copies, as `HOST:PORT`; undefined where it takes writes itself. */
      primary: string | undefined;
      /** Undefined where this user of Redis may not read it. */
      fsync: string | undefined;
      /** The kinds of saving that failed: `write`, `rewrite` and `snapshot`. */
      failed: string[];
      usedBytes: number;
      /** 0: no limit. */
      limitBytes: number;
      policy: string;
      clock: ClockReading;
      disk: Disk | undefined;
      owed: OwedFacts;
      /** Undefined where this user of Redis may not list keys. */
      mistyped?: readonly MistypedKey[] | undefined;
      /** Webhooks that could not be notified. */
      noticeProblems?: readonly NoticeProblem[];
      /** Why traces do not arrive. */
      traceProblem?: TraceProblem | undefined;
    }
);

/**
 * `survey` and `image`: undefined for a process, and for what is gone meanwhile. `unanswered`: the
 * Engine did not say anything of it.
 */
export type PartFacts = {
  part: ContainerPart;
  survey: ContainerSurvey | undefined;
  image: ImageInfo | undefined;
  unanswered?: Silent;
};

/**
 * The comparison of the record: `overwritten` are artefacts that are not what was stored, `lost`
 * counts events that were deleted by hand. `malformed`: goals and open claims that cannot be read.
 */
export type RecordFacts =
  | Silent
  | {
      state: "answers";
      artefacts: number;
      overwritten: readonly ArtefactId[];
      /** They are there, and on one of two lists: of all artefacts, and of their goal's. */
      hidden?: readonly ArtefactId[];
      malformed: readonly string[];
      /** Goals that a file of `sett prune` has whole, and that are not removed yet. */
      archived?: readonly GoalId[];
      lost: number;
      /** The log has fewer events than it had when it was noted. */
      fewer?: LostEvents | undefined;
      /**
       * Undefined where no goal waits to be moved by `retention.goals` of this folder's sett.yml.
       */
      waiting: WaitingGoals | undefined;
    };

/** How many of the newest bodies were asked of the gateway, and how many it does not have. */
export type BodyFacts = { wanted: number; missing: number };

/** Checkouts that agents share. `bytes`: undefined where the Engine does not say it soon. */
export type LayerFacts = { count: number; bytes: number | undefined };

export type InstanceFacts = {
  name: string;
  runtime: RuntimeName | "remote";
  /** As `sett list` shows it; `down` for a kept blackboard. */
  state: string;
  redis: RedisFacts | undefined;
  /** Undefined where Redis does not answer. */
  record?: RecordFacts | undefined;
  /** Undefined where no gateway runs, or the blackboard has no calls with bodies. */
  bodies?: BodyFacts | undefined;
  parts: PartFacts[];
  /** The agents' folders of the exchange; undefined where its repository cannot be read. */
  exchange: readonly AgentHoldings[] | undefined;
  /** Agents do not find these of HEAD; undefined where its repository cannot be read. */
  lacking?: readonly Lacking[] | undefined;
  /** The store that agents see; undefined as with `exchange`. */
  store?: ShownSize | undefined;
  /** Remotes from which a fetch may remove the names of goals and results. */
  pruning?: readonly string[] | undefined;
  /** Names of goals and results whose commits the repository has no more. */
  gone?: readonly string[] | undefined;
  /** Undefined where there is no Engine. */
  layers?: LayerFacts | undefined;
};

/** Watches of files (inotify) of a user; `most`: the process with the most of them. */
export type WatchFacts = {
  limit: number;
  /** By number; undefined where none is in use. */
  user: string | undefined;
  used: number;
  most: { pid: number; name: string; count: number } | undefined;
};

/**
 * Values of agents' secrets on this machine. `what`: why agents write it by accident. `unread`:
 * their names. `ofCluster`: the Secrets of a cluster by the names in sett.yml. `namespace`: that of
 * the instance, where it is known.
 */
export type SecretsFacts = {
  read: number;
  weak: { name: string; what: string }[];
  unread: string[];
  ofCluster?: { name: string; secret: string; key: string }[];
  namespace?: string | undefined;
};

export type DoctorFacts = {
  /** The version of sett. */
  version: string;
  /** Undefined where git does not run. */
  git: string | undefined;
  /** The disk of the repository; of the present folder outside of one. */
  disk: Disk | undefined;
  isInRepository: boolean;
  /** Undefined where the system does not say. */
  watches?: WatchFacts | undefined;
  /** Undefined where there is no sett.yml, or its agents have no secrets. */
  secrets?: SecretsFacts | undefined;
  /** The public networks that this machine is in itself. */
  machineNetworks: readonly string[];
  engine: EngineFacts;
  instance: InstanceFacts | undefined;
  /** A cluster may have an instance of the repository, and cannot be asked. */
  cluster?: Silent | undefined;
};
