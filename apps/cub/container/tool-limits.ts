// Limits a run beside its time: what it has written, how much memory it needs, and how many
// processes. Files that are written before and outside of a run, by a checkout and by bid commands,
// count as well. All this needs a cub that is process 1 of a container.
import process from "node:process";
import type { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { CommandOutcome } from "../../../lib/process/command.ts";
import { type CleanSlate, CutOff } from "./clean-slate.ts";
import { type DiskLimit, type DiskStates, DiskWatch } from "./disk-watch.ts";
import { MemoryWatch, memoryKills, memoryReason } from "./memory-watch.ts";
import { ProcessWatch } from "./process-watch.ts";

type Place = { workspaceDir: string; diskBytes: number | undefined; pids: number | undefined };

/** Undefined for a cub that is not alone in a container, or without a limit. */
export function toolLimits(
  place: Place,
  slate: CleanSlate,
  workingCopy: WorkingCopy | undefined,
): ToolLimits | undefined {
  const { workspaceDir, diskBytes, pids } = place;
  if (process.pid !== 1 || diskBytes === undefined) return undefined;
  // What is not fetched counts from run to run.
  const results = workingCopy?.exchange.counted ?? [];
  const folders = [{ path: workspaceDir, name: workspaceDir }, ...results];
  const discard = async () => await workingCopy?.discard().catch(() => {});
  return new ToolLimits({
    disk: { bytes: diskBytes, folders },
    pids,
    memory: new MemoryWatch(),
    end: () => slate.end(),
    discard,
  });
}

type Options = {
  disk: DiskLimit;
  /** How many processes and threads there may be. Default: as many as the container may have. */
  pids?: number | undefined;
  /** Undefined where the cub must not end what it has not started. */
  memory?: MemoryWatch | undefined;
  /** Ends every process of the run at once. Never rejects. */
  end: () => Promise<void>;
  /** Makes room after a run that has written too much. */
  discard: () => Promise<void>;
};

/** `over_limit`: `reason` is a sentence that says which limit was exceeded. */
export type RunOutcome =
  | CommandOutcome
  | (Omit<Extract<CommandOutcome, { kind: "exited" }>, "kind"> & {
      kind: "over_limit";
      reason: string;
    });

type Run = (signal: AbortSignal) => Promise<CommandOutcome>;

export class ToolLimits {
  readonly #options: Options;
  readonly #watch: DiskWatch;
  readonly #processes: ProcessWatch | undefined;
  readonly #bids = new Set<AbortController>();
  readonly #bidStates: DiskStates = new Map();
  #bidWatch: Disposable | undefined;
  /** Bid commands have written too much, and room has not been made yet. */
  #isOver = false;
  /** How many runs are under way, with the room that is made after them. */
  #runs = 0;
  /** A run is over, and the files that it has left may still be there. */
  #isAfterRun = false;

  constructor(options: Options) {
    this.#options = options;
    this.#watch = new DiskWatch(options.disk);
    this.#processes = options.pids === undefined ? undefined : new ProcessWatch(options.pids);
  }

  /** The checkout of a commit may write so much. */
  get diskBytes(): number {
    return this.#options.disk.bytes;
  }

  /** Runs within the limits; `over_limit` says which was exceeded. */
  async run(signal: AbortSignal, run: Run): Promise<RunOutcome> {
    return await this.ofRun(async () => await this.#run(signal, run));
  }

  async #run(signal: AbortSignal, run: Run): Promise<RunOutcome> {
    const killsBefore = memoryKills();
    const refusalsBefore = this.#processes?.refusals();
    let tooMany: string | undefined;
    using _processes = this.#processes?.start((sentence) => {
      tooMany = sentence;
    });
    let tooMuch: string | undefined;
    using _memory = this.#options.memory?.start((sentence) => {
      tooMuch = sentence;
    });
    const { outcome, reason = tooMuch ?? tooMany } = await this.#watched(signal, run);
    if (reason !== undefined) {
      if (outcome.kind === "not_started")
        return { kind: "not_started", reason: "other", message: reason };
      return { ...outcome, kind: "over_limit", reason };
    }
    if (outcome.kind !== "exited" || outcome.exitCode === 0) return outcome;
    if (memoryKills() !== killsBefore)
      return { ...outcome, kind: "over_limit", reason: memoryReason() };
    if (this.#processes === undefined || this.#processes.refusals() === refusalsBefore)
      return outcome;
    return { ...outcome, kind: "over_limit", reason: this.#processes.reason };
  }

  /**
   * Work of the cub itself, such as a checkout, within the limit of the disk. Throws, with a
   * sentence, where that was exceeded.
   */
  async guard(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    let failure: unknown;
    const noted = (within: AbortSignal) =>
      work(within).catch((error: unknown) => {
        failure = error;
      });
    const { reason } = await this.ofRun(async () => await this.#watched(signal, noted));
    if (reason !== undefined) throw new SettError("git-failed", reason);
    if (failure !== undefined) throw failure;
  }

  /**
   * A bid command: with the others that run, and those before, it may write as much as a run.
   * Throws, with a sentence, where that was more; `CutOff` where a run, under way or over, may be
   * what has exceeded the limit.
   */
  async runBid<Result>(
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    this.#bids.add(controller);
    this.#bidWatch ??= this.#watch.start((reason) => this.#endBids(reason), this.#bidStates);
    let over: Error | undefined;
    const note = (reason: string) => {
      over ??= this.#runs > 0 ? new CutOff(reason) : new Error(reason);
    };
    // Not AbortSignal.any: the signal lives as long as the process, and would keep one dependent
    // signal for each bid.
    controller.signal.addEventListener("abort", () => {
      if (!signal.aborted) over ??= controller.signal.reason;
    });
    const forward = () => controller.abort();
    if (signal.aborted) forward();
    signal.addEventListener("abort", forward, { once: true });
    using _processes = this.#processes?.start(note);
    using _memory = this.#options.memory?.start(note);
    const wasBesideRun = this.#runs > 0;
    const [kills, refusals] = [memoryKills(), this.#processes?.refusals()];
    try {
      const result = await run(controller.signal);
      // The kernel may have ended a part of it, or refused it a process, for what the run takes.
      if (wasBesideRun || this.#runs > 0) {
        if (memoryKills() !== kills) over ??= new CutOff(memoryReason());
        if (this.#processes?.refusals() !== refusals)
          over ??= new CutOff(this.#processes?.reason ?? "");
      }
      if (over !== undefined) throw over;
      return result;
    } finally {
      signal.removeEventListener("abort", forward);
      this.#bids.delete(controller);
      if (this.#bids.size === 0) {
        this.#bidWatch?.[Symbol.dispose]();
        this.#bidWatch = undefined;
      }
    }
  }

  /** A limit that is exceeded while this is done, or by its remains, is no bid command's fault. */
  async ofRun<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#runs++;
    try {
      return await work();
    } finally {
      this.#runs--;
      this.#isAfterRun = true;
    }
  }

  /**
   * Outside of a grant: empties the working copy where bid commands have written too much.
   * `counts`: looks also where none was ended for it. Never rejects.
   */
  async makeRoom(counts = false): Promise<void> {
    if (!this.#isOver && !(counts && (await this.#watch.count()) !== undefined)) return;
    this.#isOver = false;
    await this.#options.discard();
    this.#bidStates.clear();
    this.#isAfterRun = false;
  }

  #endBids(reason: string): void {
    this.#bidWatch = undefined;
    this.#isOver = true;
    const over = this.#runs > 0 || this.#isAfterRun ? new CutOff(reason) : new Error(reason);
    for (const controller of this.#bids) controller.abort(over);
  }

  async #watched<Result>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>) {
    const exceeded = new AbortController();
    let reason: string | undefined;
    let result: Result;
    {
      using _watch = this.#watch.start((sentence) => {
        reason = sentence;
        exceeded.abort();
        void this.#options.end();
      });
      result = await work(AbortSignal.any([signal, exceeded.signal]));
    }
    if (reason !== undefined) {
      await this.#options.end();
      await this.#options.discard();
    }
    return { outcome: result, reason };
  }
}
