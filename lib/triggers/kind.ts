// A kind of trigger: everything in which one differs from another. lib/triggers/kinds.ts has the
// list.
import type { CommitHash, GoalId } from "../model/ids.ts";
import type { Trigger, TriggerFile, TriggerName } from "../model/trigger.ts";
import type { Field, FieldValues } from "./fields.ts";
import type { Delivery, Fired, HookOutcome } from "./hook.ts";

export type KindOfTrigger<Own extends Trigger> = {
  /** The names that may stand in the text of its goal. */
  fields: readonly Field[];
  /** The entry of sett.yml as the program that runs it gets it, with its defaults. */
  resolve(entry: TriggerFile, facts: { guardsSecrets: boolean }): Omit<Own, "name" | "goal">;
  /** Finds mistakes in an entry that the schema takes. All as the file has it. */
  mistakes?(entry: RawMap, file: FileFacts): Finding[];
  /** Finds what is doubtful. `now`: for warnings about times that never come. */
  warnings?(trigger: Own, facts: { now: Date; nearest: Nearest }): Finding[];
  /** It looks at names of the repository, which are not where only agents' commits are. */
  looksAtNames?: true;
  /** The name of the secret that it needs at run time. */
  secretOf?(trigger: Own): string;
  /** For a kind that looks for itself whether it is time for a goal. */
  watch?: {
    everyMs: number;
    /** One for all triggers of the kind, for as long as the program runs. */
    start(port: TriggerPort): Watch<Own>;
  };
  /**
   * For a kind whose events are posted to `/hooks/NAME`. Throws `not-authenticated`, also before
   * the body is read where the headers say enough; `usage` for what Sett does not know;
   * `not-ready`; and what posting a goal throws.
   */
  receive?(port: TriggerPort, trigger: Own, delivery: Delivery): Promise<HookOutcome>;
};

/** `look`: one look, which states the goals that are due. A look that fails is made again. */
export type Watch<Own extends Trigger> = { look(trigger: Own): Promise<void> };

export type RawMap = Readonly<Record<string, unknown>>;
/** `path`: below the trigger. */
export type Finding = { path: (string | number)[]; sentence: string };
/** The candidate that is meant by a word with a slip; undefined where none is near. */
export type Nearest = (word: string, candidates: readonly string[]) => string | undefined;
/** The rest of the file, as it is. */
export type FileFacts = { secrets: RawMap; services: RawMap; nearest: Nearest };

/**
 * A moment at which a trigger states a goal. `happened`: what tells it from all other moments of
 * the trigger. `cause`: one line for the record. `source`: who has sent the values. `commit`: where
 * the work is to begin, if this repository has it. `issue`: the address of the one that it is
 * about, as its forge has signed it. `missed`: for how many missed runs it makes up.
 */
export type Moment = {
  happened: readonly string[];
  cause: string;
  values: FieldValues;
  source: string;
  commit?: CommitHash | undefined;
  issue?: string | undefined;
  missed?: number;
};

/** Fields of a trigger's record. `mark`: what is dealt with by it. */
export type Mark = { mark: string; value: string; fields?: Readonly<Record<string, string>> };

/** `object`: what the tag names itself: its commit, or the object of an annotated tag. */
export type Tag = { name: string; object: CommitHash; commit: CommitHash };

/** The instance as triggers need it. */
export type TriggerPort = {
  now(): Date;
  /** The record of a trigger. */
  read(trigger: TriggerName): Promise<Map<string, string>>;
  record(trigger: Trigger, mark: Mark): Promise<void>;
  forget(trigger: TriggerName, marks: readonly string[]): Promise<void>;
  /** Runs jobs of one trigger one at a time, for what reads its record and then writes it. */
  inTurn<Result>(trigger: TriggerName, job: () => Promise<Result>): Promise<Result>;
  /**
   * States the goal of this moment, once, however often it is asked. Throws `not-ready` where there
   * is no repository, or none with a commit, and what posting a goal throws.
   */
  fire(trigger: Trigger, moment: Moment): Promise<Fired>;
  /** Puts on record that a trigger states no goal. Without `mark`, each call is an event. */
  skip(
    trigger: Trigger,
    about: { cause: string; reason: string; mark?: Mark | undefined },
  ): Promise<void>;
  /** The state of a goal that is not at rest; undefined for another, and for one that is gone. */
  busyState(goal: GoalId): Promise<string | undefined>;
  /** All tags that name a commit, the oldest first. */
  tags(): Promise<Tag[]>;
  /** The secret of a webhook; undefined where `sett up` has not given it. */
  secretOf(name: string): Promise<string | undefined>;
};
