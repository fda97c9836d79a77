// A grant begins clean: what the one before and bid commands have left behind in the container is
// ended and removed. Only where the cub is process 1 of a container of its own; on a person's
// machine nothing is touched.
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import type { FolderEntry } from "../../../lib/folders/folder-entries.ts";
import { removeTree, resetFolder, resetMode } from "../../../lib/folders/remove-tree.ts";
import { isRunningGit } from "../../../lib/git/run/run-git.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { isMarked, isMarkedMeanwhile, processMarker } from "../../../lib/process/bid-mark.ts";
import { groupAfterThis, useAllProcessors } from "../../../lib/process/process-one.ts";
import {
  type ProcessEntry,
  readProcesses,
  readProcessTable,
  straysAmong,
} from "../../../lib/process/process-table.ts";
import { processReaper } from "../../../lib/process/reap.ts";
import { removeSharedMemory } from "../../../lib/process/shared-memory.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { DeviceFolder } from "./device-folder.ts";

/** Any user may write into these folders, which have this mode. */
const folders = ["/tmp", "/dev/shm", "/dev/mqueue"] as const;
const folderMode = 0o1777;

/** The first may meet what a bid command writes beside it. */
const maxWipes = 3;

/**
 * A command that starts processes all the time may outrun so many looks: then all are ended at
 * once, bids under way as well.
 */
const maxLooks = 20;
const lookEveryMs = 5;

const reapEveryMs = 1_000;

/**
 * So long after the end of a command its leader may still wait for this program to take note of its
 * end.
 */
const leaderMs = 10_000;

/** A bid command that runs beside the grant is spared, with its process group and its folder. */
type Beside = { group: number | undefined; folder: string; isCutOff: boolean };

type OnStart = (leader: number) => void;

/**
 * Work that was not begun, or was cut off, because of the machine or of other work, and not because
 * of what it is: it may be tried again.
 */
export class NotBegun extends SettError {
  constructor(sentence: string) {
    super("not-ready", sentence, {
      hint: "The cub tries again, or starts again in a new container.",
    });
  }
}

/** A bid command that was ended beside a run, which may be the cause, or it may be itself. */
export class CutOff extends NotBegun {}

export class CleanSlate {
  /**
   * Leaders of process groups that this program has started, and of whose end it takes note itself.
   */
  readonly #leaders = new Set<number>();
  readonly #beside = new Set<Beside>();
  readonly #log: Pick<JsonLog, "warn">;
  readonly #isInit: boolean;
  readonly #devices: DeviceFolder | undefined;
  #isInGrant = false;
  /** A bid command has run since the last grant. */
  #isUsed = false;
  #problem: string | undefined;
  /** The work after a bid command, for which a grant waits. */
  #afterBid: Promise<void> = Promise.resolve();

  /** `isInit`: the cub is process 1. */
  constructor(log: Pick<JsonLog, "warn">, isInit = process.pid === 1) {
    this.#log = log;
    this.#isInit = isInit;
    this.#devices = isInit && process.getuid?.() === 0 ? new DeviceFolder("/dev") : undefined;
  }

  /**
   * Runs a command, which says who leads its process group. A process that others have left to
   * process 1 is forgotten when it has ended.
   */
  async run<Result>(command: (onStart: OnStart) => Promise<Result>): Promise<Result> {
    let leader: number | undefined;
    const putAfter = await groupAfterThis();
    const onStart = (pid: number) => {
      leader = pid;
      putAfter(pid);
      this.#preferForKilling(pid);
      this.#leaders.add(pid);
    };
    // The command inherits those of the thread that starts it.
    await useAllProcessors({ all: false });
    const timer = setInterval(() => void this.#reap(), reapEveryMs);
    try {
      return await command(onStart);
    } finally {
      clearInterval(timer);
      await this.#reap();
      if (leader !== undefined)
        setTimeout((pid: number) => this.#leaders.delete(pid), leaderMs, leader).unref();
    }
  }

  /**
   * Why no work may begin here: something is left that could not be removed. A new container does
   * not have it.
   */
  get problem(): string | undefined {
    return (
      this.#problem ??
      (this.#isInit && isMarkedMeanwhile()
        ? "A command has marked the cub itself as a bid command."
        : undefined)
    );
  }

  /**
   * Runs a bid command beside the grant, with a folder of its own for what it writes. Then all that
   * it has left is ended, and outside of a grant removed, and `makeRoom` is called. Rejects with
   * `NotBegun` where this cannot be done, and with `CutOff` where what a grant has left could only
   * be ended together with it.
   */
  async runBeside<Result>(
    command: (folder: string | undefined, onStart: OnStart) => Promise<Result>,
    makeRoom: () => Promise<void> = async () => {},
  ): Promise<Result> {
    if (!this.#isInit) return await command(undefined, () => {});
    const one: Beside = {
      group: undefined,
      folder: join(folders[0], `sett-bid-${crypto.randomUUID()}`),
      isCutOff: false,
    };
    this.#beside.add(one);
    this.#isUsed = true;
    try {
      await this.#makeFolder(one.folder);
      const mark = await processMarker();
      const result = await this.run((onStart) =>
        command(one.folder, (leader) => {
          one.group = leader;
          mark?.(leader);
          onStart(leader);
        }),
      );
      if (one.isCutOff)
        throw new CutOff("It was ended together with what a grant had left behind.");
      return result;
    } finally {
      this.#beside.delete(one);
      this.#afterBid = this.#afterBid.then(() => this.#endBid(makeRoom));
      await this.#afterBid;
      await removeTree(one.folder).catch(() => {});
    }
  }

  /** A grant that runs may have closed the folders to all. */
  async #makeFolder(folder: string): Promise<void> {
    await this.#whenClear();
    if (this.#problem !== undefined) throw new NotBegun(this.#problem);
    try {
      for (const each of folders) await resetMode(each, folderMode);
      await mkdir(folder, { mode: 0o700 });
    } catch (error) {
      throw new NotBegun(`The bid command has no folder to write to: ${messageOf(error)}`);
    }
  }

  /** Waits until no work is done after a bid command. */
  async #whenClear(): Promise<void> {
    for (let work: unknown; work !== this.#afterBid; ) {
      work = this.#afterBid;
      await this.#afterBid;
    }
  }

  /**
   * Within a grant only what has the mark is a bid command's; what hides from that ends with the
   * grant.
   */
  async #endBid(makeRoom: () => Promise<void>): Promise<void> {
    const canTell = (await processMarker()) !== undefined && !isMarkedMeanwhile();
    if (!this.#isInGrant) {
      if (this.#beside.size > 0) await this.#endStrays().catch(() => {});
      else await this.#wipe();
      // Files that are counted in the working copy are not removed yet.
      this.#isUsed = true;
      await makeRoom().catch(() => {});
    } else if (canTell) await this.#endStrays(isMarked).catch(() => {});
  }

  /**
   * Begins a grant. `clear` is called where a bid command has run since the last one. Rejects with
   * `NotBegun` where something stays.
   */
  async begin(clear: () => Promise<void>): Promise<void> {
    await this.#whenClear();
    this.#isInGrant = true;
    if (!this.#isInit || (!this.#isUsed && this.#problem === undefined)) return;
    await this.#wipe();
    await clear();
    if (this.#problem !== undefined) throw new NotBegun(this.#problem);
  }

  /** Kills every process of the grant, in whichever session. Never rejects. */
  async end(): Promise<void> {
    if (this.#isInit) await this.#endStrays().catch(() => {});
  }

  /**
   * Removes after the grant every process that it has left, in whichever session, and all that it
   * has written to memory. Never rejects.
   */
  async wipe(): Promise<void> {
    if (this.#isInit) await this.#wipe();
    this.#isInGrant = false;
  }

  /** Never rejects. */
  async #wipe(): Promise<void> {
    this.#isUsed = this.#beside.size > 0;
    for (let wipes = 1; ; wipes++) {
      this.#problem = await this.#wipeOnce();
      if (this.#problem === undefined) return;
      if (wipes < maxWipes) continue;
      return this.#log.warn("Could not remove all that was left behind", { error: this.#problem });
    }
  }

  /** Each step is taken, whatever the others do. Resolves with what the first has met. */
  async #wipeOnce(): Promise<string | undefined> {
    // Read for each: a bid command may begin meanwhile.
    const isKept = ({ name }: FolderEntry) =>
      [...this.#beside].some(({ folder }) => basename(folder) === name);
    const steps = [
      () => this.#endStrays(),
      () => removeSharedMemory(),
      async () => await this.#devices?.restore(),
      ...folders.map((folder) => () => resetFolder(folder, { mode: folderMode, isKept })),
    ];
    let problem: string | undefined;
    for (const step of steps)
      await step().catch((error: unknown) => {
        problem ??= `What was left in the container cannot be removed: ${messageOf(error)}`;
      });
    return problem;
  }

  /**
   * When the container's memory is used up, the kernel ends the command rather than the cub, which
   * reports it.
   */
  #preferForKilling(pid: number): void {
    if (this.#isInit) void writeFile(`/proc/${pid}/oom_score_adj`, "1000").catch(() => {});
  }

  /**
   * A process that starts another one and ends, again and again, may be missed by a look: what it
   * leaves are processes that have ended since the look before, and a table that is not whole.
   */
  async #endStrays(isMeant?: (pid: number) => boolean): Promise<void> {
    let known = new Set<number>();
    for (let looks = 0; ; looks++) {
      const { entries, isWhole } = readProcessTable();
      const strays = this.#straysAmong(entries);
      const living = strays.filter(({ pid, isZombie }) => !isZombie && (isMeant?.(pid) ?? true));
      const ended = strays.flatMap(({ pid, isZombie }) =>
        isZombie && !this.#leaders.has(pid) ? [pid] : [],
      );
      if (living.length === 0 && isWhole && ended.every((pid) => known.has(pid))) break;
      if (looks >= maxLooks) {
        if (isMeant === undefined) this.#endAll();
        break;
      }
      for (const { pid } of living) signalled(pid);
      known = new Set(ended);
      if (living.length > 0 || !isWhole)
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
    await this.#reap();
  }

  #endAll(): void {
    for (const one of this.#beside) one.isCutOff = true;
    signalled(-1);
  }

  /**
   * Each command has a process group of its own. Processes that the cub's own gits have left behind
   * belong to none.
   */
  #straysAmong(all: readonly ProcessEntry[]) {
    const groups = [...this.#beside].flatMap(({ group }) => group ?? []);
    return straysAmong(all, new Set(groups), isRunningGit);
  }

  async #reap(): Promise<void> {
    if (!this.#isInit) return;
    const reap = await processReaper();
    if (reap === undefined) return;
    for (const { pid, parent, isZombie } of this.#straysAmong(readProcesses()))
      if (isZombie && parent === 1 && !this.#leaders.has(pid)) reap(pid);
  }
}

function signalled(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended, or is another user's.
  }
}
