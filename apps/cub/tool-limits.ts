// The limits of a run beside its time: what it has written and how much memory it needs. Only where the cub is process 1 of a container.
import { join } from "node:path";
import process from "node:process";
import type { WorkingCopy } from "../../lib/git/working-copy.ts";
import type { CommandOutcome } from "../../lib/process/command.ts";
import type { CleanSlate } from "./clean-slate.ts";
import type { RunOutcome } from "./deps.ts";
import { type DiskLimit, DiskWatch, sizeText } from "./disk-watch.ts";
import { memoryKills, memoryLimit } from "./memory-kills.ts";
import type { Settings } from "./settings.ts";

type Place = Pick<Settings, "agentName" | "workspaceDir" | "diskBytes" | "git">;

/** Undefined for a cub that is not alone in a container, or without a limit. */
export function toolLimits(place: Place, slate: CleanSlate, workingCopy: WorkingCopy | undefined): ToolLimits | undefined {
  const { agentName, workspaceDir, diskBytes, git } = place;
  if (process.pid !== 1 || diskBytes === undefined) return undefined;
  const own = join(git.exchangeDir, agentName);
  const folders = [
    { path: workspaceDir, name: workspaceDir },
    // What is not fetched stays there from run to run.
    { path: own, name: `the exchange (.git/sett/exchange of the repository, folder ${agentName})`, isFlat: true },
  ];
  const discard = async () => await workingCopy?.discard().catch(() => {});
  return new ToolLimits({ disk: { bytes: diskBytes, folders }, end: () => slate.end(), discard });
}

type Options = {
  disk: DiskLimit;
  /** Ends every process of the run at once. Never rejects. */
  end: () => Promise<void>;
  /** Makes room after a run that has written too much. */
  discard: () => Promise<void>;
};

type Run = (signal: AbortSignal) => Promise<CommandOutcome>;

export class ToolLimits {
  readonly #options: Options;
  readonly #watch: DiskWatch;

  constructor(options: Options) {
    this.#options = options;
    this.#watch = new DiskWatch(options.disk);
  }

  /** Runs within the limits; `over_limit` says which was exceeded. */
  async run(signal: AbortSignal, run: Run): Promise<RunOutcome> {
    const controller = new AbortController();
    const forward = () => controller.abort(signal.reason);
    if (signal.aborted) forward();
    signal.addEventListener("abort", forward, { once: true });
    let reason: string | undefined;
    const killsBefore = await memoryKills();
    try {
      using _watch = this.#watch.start((exceeded) => {
        reason = exceeded;
        controller.abort();
        void this.#options.end();
      });
      const outcome = await run(controller.signal);
      if (reason !== undefined) {
        await this.#options.end();
        await this.#options.discard();
        if (outcome.kind === "not_started") return { kind: "not_started", reason: "other", message: reason };
        return { ...outcome, kind: "over_limit", reason };
      }
      if (outcome.kind !== "exited" || outcome.exitCode === 0 || (await memoryKills()) === killsBefore) return outcome;
      return { ...outcome, kind: "over_limit", reason: await memoryReason() };
    } finally {
      signal.removeEventListener("abort", forward);
    }
  }
}

async function memoryReason(): Promise<string> {
  const bytes = await memoryLimit();
  const limit = bytes === undefined ? "there is" : `\`resources.limits.memory\` allows, which is ${sizeText(bytes)}`;
  return `The run was ended because it needed more memory than ${limit}.`;
}
