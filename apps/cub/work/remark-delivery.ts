// Remarks of people to work that goes on are passed on to its command. Each look at the claim is a
// read: where Redis is away, the next one finds what this one has missed.
import { sleep } from "../../../lib/async/sleep.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { isRemark } from "../../../lib/model/remark-type.ts";
import type { Deps } from "../program/deps.ts";
import type { RunTool } from "../tool/commands.ts";
import type { RemarkFile } from "../tool/remark-file.ts";
import type { Task } from "./read-grant.ts";

const everyMs = 2_000;

type Passing = Pick<Deps, "board" | "log" | "openRemarks">;
type Order = Parameters<RunTool>[0];

/** The remarks that came after the inputs of one run were read. */
export class RemarkDelivery {
  readonly #deps: Passing;
  readonly #claim: Task["claim"];
  readonly #known: Set<ArtefactId>;
  readonly #passed: ArtefactId[] = [];
  readonly #everyMs: number;

  constructor(deps: Passing, { claim, inputs }: Task, lookEveryMs = everyMs) {
    this.#deps = deps;
    this.#claim = claim;
    this.#everyMs = lookEveryMs;
    const inputIds = inputs.ok ? inputs.value.additionalContext.map(({ id }) => id) : [];
    this.#known = new Set([...claim.additional_context_ids, ...inputIds]);
  }

  /** The end of the grant names what its command was given beside its input. */
  get delivered(): { remarks?: ArtefactId[] } {
    return this.#passed.length === 0 ? {} : { remarks: [...this.#passed] };
  }

  /** Rejects as `run` does: its end counts, whatever becomes of the file. */
  async during<Result>(order: Order, run: (order: Order) => Promise<Result>): Promise<Result> {
    const file = await this.#open();
    if (file === undefined) return await run(order);
    const over = new AbortController();
    const passed = this.#pass(file, over.signal);
    try {
      return await run({ ...order, remarks: file.variables });
    } finally {
      over.abort();
      await passed;
      await this.#remove(file);
    }
  }

  /** A full disk is no reason not to begin: the next attempt has the remarks in its input. */
  async #open(): Promise<RemarkFile | undefined> {
    try {
      return await this.#deps.openRemarks?.();
    } catch (error) {
      this.#warn("Could not make the file for what people say to running work", error);
      return undefined;
    }
  }

  async #remove(file: RemarkFile): Promise<void> {
    try {
      await file[Symbol.asyncDispose]();
    } catch (error) {
      this.#warn("Could not remove the file of what people have said to running work", error);
    }
  }

  async #pass(file: RemarkFile, over: AbortSignal): Promise<void> {
    let hasFailed = false;
    for (;;) {
      await sleep(this.#everyMs, over);
      if (over.aborted) return;
      try {
        for (const one of await this.#newArtefacts()) {
          if (isRemark(one)) {
            await file.add(JSON.stringify(one));
            this.#passed.push(one.id);
          }
          this.#known.add(one.id);
        }
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) this.#warn("Could not pass on what people say to running work", error);
        hasFailed = true;
      }
    }
  }

  async #newArtefacts(): Promise<Artefact[]> {
    const { board } = this.#deps;
    const stored = await board.readClaim(this.#claim.id);
    const ids = stored?.claim.additional_context_ids.filter((id) => !this.#known.has(id)) ?? [];
    const found = await Promise.all(ids.map((id) => board.readArtefact(id)));
    return found.filter((one) => one !== undefined);
  }

  #warn(what: string, error: unknown): void {
    this.#deps.log.warn(what, { claim_id: this.#claim.id, error: messageOf(error) });
  }
}
