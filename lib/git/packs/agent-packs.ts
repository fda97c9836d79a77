// An agent's side of store and exchange, by the service of packs: a copy of what the host shows,
// and a shelf on which what it has published stays as it is.
import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../folders/remove-tree.ts";
import { messageOf, SettError } from "../../model/errors.ts";
import type { AgentName, CommitHash } from "../../model/ids.ts";
import { maxPackBytes, type ShelfPack } from "../../model/packs.ts";
import type {
  AgentExchange,
  CountedFolder,
  Judgement,
  Origin,
  Receiver,
  RecordedCommit,
  Shown,
} from "../exchange/port.ts";
import { takeFile } from "../exchange/take-commit.ts";
import { shownIn } from "../publish/agent-folders.ts";
import { publishCommit } from "../publish/publish.ts";
import { makeStore } from "../run/borrowing.ts";
import { runGit } from "../run/run-git.ts";
import { type PacksAddress, PacksClient } from "./packs-client.ts";
import { StoreCopy } from "./store-copy.ts";

export interface AgentPacksOptions {
  readonly agentName: AgentName;
  readonly address: PacksAddress;
  /** For the copy of the store: this container's own. */
  readonly storeDir: string;
  /** How long the service may be away. */
  readonly patienceMs?: number;
  /** It has no shelf, and sees none: what it publishes is judged, and goes. */
  readonly isReader?: boolean;
}

export class AgentPacks implements AgentExchange {
  readonly counted: readonly CountedFolder[];
  readonly #agentName: AgentName;
  readonly #isReader: boolean;
  readonly #client: PacksClient;
  readonly #store: StoreCopy;

  constructor(all: AgentPacksOptions) {
    const { agentName, address, storeDir, isReader = false, ...options } = all;
    this.#agentName = agentName;
    this.#isReader = isReader;
    this.#client = new PacksClient(async () => address, options);
    const store = new StoreCopy(storeDir, this.#client);
    this.#store = store;
    // The service bounds what is on the shelf.
    const ownBytes = () => store.bytes;
    this.counted = [{ path: storeDir, name: storeDir, isFlat: true, ownBytes }];
  }

  async shown(): Promise<Shown> {
    await this.#store.mend();
    return await shownIn(this.#store.path);
  }

  async take(into: Receiver, wanted: RecordedCommit): Promise<string | undefined> {
    try {
      if (this.#isReader) {
        await this.#store.sync();
        return "";
      }
      const packs = (await this.#client.packs(wanted.commit)).toSorted(
        (one, other) =>
          Number(other.agent === wanted.agent) - Number(one.agent === wanted.agent) ||
          (one.agent < other.agent ? -1 : 1),
      );
      let first = "";
      for (const pack of packs) {
        const problem = await this.#takeFrom(into, pack);
        if (problem === undefined) return undefined;
        first ||= problem;
      }
      // What was fetched meanwhile is in the store.
      await this.#store.sync();
      return first;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** As `take`. */
  async #takeFrom(into: Receiver, pack: ShelfPack): Promise<string | undefined> {
    await mkdir(into.objectsDir, { recursive: true });
    // Named as git names its own: git's next clean-up removes one that a crash has left behind.
    const folder = await mkdtemp(join(into.objectsDir, "tmp_objdir-sett-"));
    try {
      const path = join(folder, "pack");
      if (!(await this.#client.getPack(pack, path, maxPackBytes))) return "";
      await takeFile(into, path);
      return undefined;
    } catch (error) {
      return messageOf(error);
    } finally {
      await removeTree(folder);
    }
  }

  async publish(
    from: Origin,
    commit: CommitHash,
    start: CommitHash | undefined,
    judgement?: Judgement,
    beside?: readonly string[],
  ): Promise<void> {
    const { objectsDir } = await this.shown();
    const folder = join(from.gitDir, "sett-upload");
    await removeTree(folder);
    await mkdir(folder);
    try {
      const remedyWhenFull =
        "Make room on the disk of the Docker Engine, or in a cluster in its claim, then `sett retry`.";
      const range = { commit, start, judgement, beside };
      const order = { ...from, objectsDir, folder, remedyWhenFull, ...range };
      await publishCommit(order, async (path) => {
        if (this.#isReader || (await this.#client.publish(commit, path))) return;
        // git makes other packs of one commit each time, and a command can leave anything there.
        await this.#requireOwn({ ...order, git: from.git });
      });
    } finally {
      await removeTree(folder);
    }
  }

  /** Throws where the pack on the shelf does not have the commit with all that it needs. */
  async #requireOwn(order: Origin & { objectsDir: string; folder: string } & Range): Promise<void> {
    const { git, gitDir, commit, start } = order;
    const objectsDir = join(order.folder, "objects");
    try {
      await makeStore(objectsDir, order.objectsDir);
      const into = { git, gitDir, objectsDir };
      const own = { agent: this.#agentName, commit, bytes: 0 };
      const problem = await this.#takeFrom(into, own);
      if (problem !== undefined) throw new SettError("git-failed", problem);
      const args = [`--git-dir=${gitDir}`, "rev-list", "--objects", "--quiet", "--stdin"];
      const stdin = `${commit}\n${start === undefined ? "" : `^${start}\n`}`;
      await runGit(git, { args, stdin, env: { GIT_OBJECT_DIRECTORY: objectsDir } });
    } catch (cause) {
      const hint =
        "A command of the agent has put them there: only another commit can be published.";
      const message = `The shelf of ${this.#agentName} has other bytes for the commit ${commit}, which are not the commit: ${messageOf(cause)}`;
      throw new SettError("git-failed", message, { hint, cause });
    }
  }

  async begin(): Promise<void> {
    await this.#store.sync();
  }

  /** What is on a shelf stays as it is. */
  async mend(): Promise<CommitHash[]> {
    await this.#store.mend();
    return [];
  }

  async tidy(): Promise<void> {
    await this.#store.mend();
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

type Range = { commit: CommitHash; start: CommitHash | undefined };
