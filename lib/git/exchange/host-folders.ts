// The host's side of store and exchange, as folders of the repository that are mounted into
// containers:
//
//   .git/sett/objects/INSTANCE      what goals reach: `object-store.ts`
//   .git/sett/exchange/INSTANCE     what agents publish: `exchange.ts`
//   .git/sett/packing/INSTANCE      what is not in the store yet: `packing-room.ts`
import { lstat, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { CommitHash, InstanceName } from "../../model/ids.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { sayingFullDisk } from "../run/full-disk.ts";
import { attachmentsOf } from "../run/lfs-sources.ts";
import { limited } from "../run/limited.ts";
import type { GitProgress, GitWait } from "../run/progress.ts";
import { removeObjects } from "../run/remove-objects.ts";
import type { Git } from "../run/run-git.ts";
import { agentHoldings } from "./agent-holdings.ts";
import { StoredCommits } from "./brought-commits.ts";
import { createExchange, exchangePath, holdsPacks, removeExchange } from "./exchange.ts";
import { bringPacks } from "./incoming-packs.ts";
import { lackingLfsObjects, openLfsToApi, showLfsObjects } from "./lfs-store.ts";
import {
  lackingSubmodules,
  moduleStorePath,
  openModulesToApi,
  showSubmodules,
} from "./module-store.ts";
import { addToStore, createStore, openStoreToApi, removeStore } from "./object-store.ts";
import { PackingRoom, removeAbandoned } from "./packing-room.ts";
import type {
  AgentHoldings,
  HostExchange,
  Lacking,
  Reader,
  RecordedCommit,
  SharedFolder,
  ShownSize,
  Wanted,
} from "./port.ts";
import { PackQuarantine } from "./quarantine.ts";
import { releaseFetched, removePublished } from "./release-fetched.ts";
import { sharedFolders } from "./shared-folders.ts";
import { sizeOfPacks } from "./shared-packs.ts";
import { type Store, storeOf } from "./store.ts";
import { readHistory } from "./store-notes.ts";
import { wholeAttachments } from "./whole-attachments.ts";

export class HostFolders implements HostExchange {
  /** For another implementation above this one. */
  readonly store: Store;
  readonly brought: StoredCommits;
  readonly #exchangeDir: string;

  constructor(git: Git, place: RepositoryPlace, instance: InstanceName) {
    this.store = storeOf(git, place, instance);
    this.brought = new StoredCommits(this.store);
    this.#exchangeDir = exchangePath(place, instance);
  }

  /** An end in the middle of `make` may have left only this one; the next `make` adds the other. */
  async exists(): Promise<boolean> {
    return (await lstat(this.#exchangeDir).catch(() => undefined)) !== undefined;
  }

  async make({ writers, writer, history, isOpen = false, ...wanted }: Wanted): Promise<CommitHash> {
    const { place, instance, path, git } = this.store;
    const { onProgress, signal } = wanted;
    return await sayingFullDisk(path, async () => {
      await createExchange(place, instance, { writers, writer: writer ?? place.containerUser });
      const store = {
        ...this.store,
        onProgress,
        git: signal === undefined ? git : { ...git, signal },
      };
      for (const each of [path, moduleStorePath(path)])
        await removeAbandoned({ ...store, path: each });
      const head = await createStore(store, { history, isOpen });
      const { submodules, lfs } = await wholeAttachments(store, head);
      await showSubmodules(store, submodules, { history, makeRoom: PackingRoom.apart });
      await showLfsObjects(store, lfs);
      return head;
    });
  }

  async remove(): Promise<void> {
    const { place, instance } = this.store;
    await removeStore(this.store);
    await removeExchange(place, instance);
    // Other instances, and kept logs, may be in there.
    for (const folder of ["sett/objects", "sett"])
      await rmdir(join(place.commonDir, folder)).catch(() => undefined);
  }

  async openToApi(): Promise<void> {
    await openStoreToApi(this.store);
    await openModulesToApi(this.store);
    await openLfsToApi(this.store);
  }

  foldersFor(reader: Reader): SharedFolder[] {
    const [objectsDir, exchangeDir] = [this.store.path, this.#exchangeDir];
    return sharedFolders({ objectsDir, exchangeDir }, reader);
  }

  /** Agents see the folders themselves. */
  async serve(): Promise<void> {}

  async show(
    commits: readonly CommitHash[],
    onProgress?: (news: GitProgress | GitWait) => void,
  ): Promise<void> {
    const store = { ...this.store, onProgress };
    await sayingFullDisk(store.path, async () => {
      await addToStore(store, commits);
      const history = await readHistory(store);
      for (const commit of new Set(commits)) {
        const { submodules, lfs } = await wholeAttachments(store, commit);
        await showSubmodules(store, submodules, { history, makeRoom: PackingRoom.inStore });
        await showLfsObjects(store, lfs);
      }
    });
  }

  async lacking(commit: CommitHash): Promise<Lacking[]> {
    const { submodules, lfs } = await attachmentsOf(this.store, commit);
    const found = [
      lackingSubmodules(this.store, submodules),
      await lackingLfsObjects(this.store, lfs),
    ];
    return found.filter((each) => each !== undefined);
  }

  async shown(): Promise<ShownSize | undefined> {
    const own = await sizeOfPacks(this.store);
    const ofModules = await sizeOfPacks({ ...this.store, path: moduleStorePath(this.store.path) });
    return own && { ...own, bytes: own.bytes + (ofModules?.bytes ?? 0) };
  }

  async quarantine(folder?: string): Promise<PackQuarantine> {
    const source = { ...this.store, git: limited(this.store.git) };
    return await PackQuarantine.make(source, this.#exchangeDir, folder);
  }

  async bring<Result extends RecordedCommit>(
    results: readonly Result[],
    packOf: (result: Result) => Promise<Uint8Array>,
  ): Promise<AsyncDisposable> {
    return await bringPacks(this.#exchangeDir, results, packOf);
  }

  async release(fetched: ReadonlySet<CommitHash>): Promise<void> {
    await releaseFetched(this.store, this.#exchangeDir, fetched);
  }

  async erase(
    commits: readonly CommitHash[],
    objects: { first: ReadonlySet<string>; last: ReadonlySet<string> },
  ): Promise<void> {
    const { git, place, path } = this.store;
    await removePublished(this.store, this.#exchangeDir, commits);
    await removeObjects({ git, place, folder: path }, objects);
  }

  async mayHoldResults(): Promise<boolean> {
    return await holdsPacks(this.#exchangeDir);
  }

  async holdings(now?: number): Promise<AgentHoldings[]> {
    return agentHoldings(this.#exchangeDir, now);
  }
}
