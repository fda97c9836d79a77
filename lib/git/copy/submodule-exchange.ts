// The store and the exchange for the working copy of a submodule: the objects that are shown of
// submodules. Nothing of a submodule is published.
import { SettError } from "../../model/errors.ts";
import type { AgentExchange, CountedFolder, Shown } from "../exchange/port.ts";

export class SubmoduleExchange implements AgentExchange {
  /** Its folder is a part of the workspace around it, where it is counted. */
  readonly counted: readonly CountedFolder[] = [];
  readonly #around: Pick<AgentExchange, "shown">;

  constructor(around: Pick<AgentExchange, "shown">) {
    this.#around = around;
  }

  async shown(): Promise<Shown> {
    const { submodules } = await this.#around.shown();
    if (submodules === undefined)
      throw new SettError("git-failed", "The objects of submodules are gone.");
    // Those of its own submodules are in the same place.
    return { ...submodules, submodules };
  }

  async take(): Promise<string> {
    return "";
  }

  async publish(): Promise<void> {
    throw new SettError("git-failed", "A commit of a submodule is not published.");
  }

  async begin(): Promise<void> {}

  async mend(): Promise<[]> {
    return [];
  }

  async tidy(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}
