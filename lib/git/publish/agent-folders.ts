// An agent's side of store and exchange, as folders that are mounted into its container: what the
// host shows, and a folder of packs for each agent, of which only the agent's own can be written
// to.
import { rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../model/errors.ts";
import type { AgentName, CommitHash } from "../../model/ids.ts";
import { lfsStorePath } from "../exchange/lfs-store.ts";
import { moduleStorePath } from "../exchange/module-store.ts";
import { packName } from "../exchange/pack-name.ts";
import type {
  AgentExchange,
  CountedFolder,
  Judgement,
  Origin,
  Receiver,
  RecordedCommit,
  Shown,
} from "../exchange/port.ts";
import { readDepth } from "../exchange/store-notes.ts";
import { takeCommit } from "../exchange/take-commit.ts";
import { UntrustedFolder } from "../run/untrusted-folder.ts";
import { AgentFolder } from "./agent-folder.ts";
import { sharePack } from "./link-shared-packs.ts";
import { PackGuard } from "./pack-guard.ts";
import { publishCommit } from "./publish.ts";

export interface AgentFoldersOptions {
  readonly agentName: AgentName;
  /** The store, read-only. */
  readonly objectsDir: string;
  /** The folders of all agents. */
  readonly exchangeDir: string;
  /** Other containers of the agent publish in its folder as well. */
  readonly isShared?: boolean;
  /** Its commands can write to its folder. What they remove of its results is put back. */
  readonly isGuarded?: boolean;
  /** The largest pack that it publishes: as large as readers take, without it. */
  readonly maxPackBytes?: number;
}

const remedyWhenFull =
  "It is .git/sett/exchange of the repository: make room on that disk, then `sett retry`.";

export class AgentFolders implements AgentExchange {
  readonly counted: readonly CountedFolder[];
  readonly #options: AgentFoldersOptions;
  readonly #folder: AgentFolder;
  readonly #guard: PackGuard | undefined;

  constructor(options: AgentFoldersOptions) {
    const { agentName, objectsDir, exchangeDir, isShared = false, isGuarded = false } = options;
    const path = join(exchangeDir, agentName);
    this.#options = options;
    this.#folder = new AgentFolder(path, isShared);
    this.#guard = isGuarded ? new PackGuard(path, objectsDir) : undefined;
    const name = `the exchange (.git/sett/exchange of the repository, folder ${agentName})`;
    const cure = "`sett hoard` fetches results into the repository, and takes them out of there.";
    this.counted = [{ path, name, cure, isFlat: true }];
  }

  /** Undefined where the host shows nothing: the agent then has nothing to do with code. */
  static async open(options: AgentFoldersOptions): Promise<AgentFolders | undefined> {
    const found = await stat(options.objectsDir).catch(() => undefined);
    return found?.isDirectory() ? new AgentFolders(options) : undefined;
  }

  async shown(): Promise<Shown> {
    return await shownIn(this.#options.objectsDir);
  }

  async take(into: Receiver, wanted: RecordedCommit): Promise<string | undefined> {
    try {
      using exchange = UntrustedFolder.open(this.#options.exchangeDir);
      return exchange === undefined ? "" : await takeCommit(into, exchange, wanted);
    } catch (error) {
      return messageOf(error);
    }
  }

  async publish(
    from: Origin,
    commit: CommitHash,
    start: CommitHash | undefined,
    judgement?: Judgement,
    beside?: readonly string[],
  ): Promise<void> {
    const { objectsDir, maxPackBytes: maxBytes } = this.#options;
    const { path: folder } = this.#folder;
    const range = { commit, start, judgement, beside, maxBytes };
    const order = { ...from, objectsDir, folder, remedyWhenFull, ...range };
    const isAllowed = await publishCommit(order, async (path, checked) => {
      await rename(path, join(folder, packName(commit)));
      const chain = { ...checked, folder, commit };
      if (start !== undefined) await sharePack({ ...chain, start }).catch(() => undefined);
    });
    if (!isAllowed) return;
    await this.#folder.note(commit);
    await this.#guard?.keep(commit);
  }

  async begin(): Promise<void> {
    await this.#guard?.mend();
    await this.tidy();
    await this.#guard?.adopt();
  }

  async mend(): Promise<CommitHash[]> {
    await this.#guard?.mend();
    return this.#guard?.takeLost() ?? [];
  }

  async tidy(): Promise<void> {
    await this.#folder.tidy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#guard?.[Symbol.asyncDispose]();
  }
}

/** The store as it lies in a folder, be it the host's own or a copy of it. */
export async function shownIn(objectsDir: string): Promise<Shown> {
  const modulesDir = moduleStorePath(objectsDir);
  const hasModules = (await stat(modulesDir).catch(() => undefined))?.isDirectory() === true;
  const lfsDir = lfsStorePath(objectsDir);
  const submodules = hasModules
    ? { objectsDir: modulesDir, depth: await readDepth(modulesDir), lfsDir }
    : undefined;
  return { objectsDir, depth: await readDepth(objectsDir), submodules, lfsDir };
}
