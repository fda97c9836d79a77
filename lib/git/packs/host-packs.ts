// The host's side of store and exchange where agents reach them by the service of packs. The store
// is made beside the repository as it is for folders, because there packs are shared with it, and
// the service gets what it does not have yet. What agents have published comes from there.
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, SettError } from "../../model/errors.ts";
import type { AgentName, CommitHash } from "../../model/ids.ts";
import { maxPackBytes, type ShelfPack, type StoreFile } from "../../model/packs.ts";
import type { HostFolders } from "../exchange/host-folders.ts";
import { lfsStorePath } from "../exchange/lfs-store.ts";
import { moduleStorePath } from "../exchange/module-store.ts";
import { headOf } from "../exchange/object-store.ts";
import { packName } from "../exchange/pack-name.ts";
import type {
  AgentHoldings,
  BroughtCommits,
  HostExchange,
  Lacking,
  Quarantine,
  Reader,
  RecordedCommit,
  SharedFolder,
  ShownSize,
  Wanted,
} from "../exchange/port.ts";
import type { PackQuarantine } from "../exchange/quarantine.ts";
import { keepFetched } from "../exchange/release-fetched.ts";
import { packNamesIn } from "../exchange/store.ts";
import { isServed, noteHead, noteServed } from "../exchange/store-notes.ts";
import type { GitProgress, GitWait } from "../run/progress.ts";
import { hashOfFile } from "./file-bytes.ts";
import { type FindPacks, PacksClient } from "./packs-client.ts";
import type { ServedRepository } from "./served-repository.ts";

/** A person waits for it. */
const patienceMs = 15_000;
/** Another program may add to the store at the same time. */
const maxTries = 10;
const packEndings = ["pack", "rev", "idx"];

/** The store notes whether the instance has the service. Where it has none, all is folders. */
export class HostPacks implements HostExchange {
  readonly #folders: HostFolders;
  readonly #client: PacksClient;
  readonly #copy: ServedRepository | undefined;

  /** `copy`: the repository of the folders is one that itself comes from the service. */
  constructor(folders: HostFolders, find: FindPacks, copy?: ServedRepository) {
    this.#folders = folders;
    this.#client = new PacksClient(find, { patienceMs });
    this.#copy = copy;
  }

  async exists(): Promise<boolean> {
    return await this.#folders.exists();
  }

  async make({ isServed: isWanted = false, ...wanted }: Wanted): Promise<CommitHash> {
    if (!isWanted) await this.#requireEmptyShelves();
    const head = await this.#folders.make(isWanted ? { ...wanted, writers: [] } : wanted);
    await noteServed(this.#folders.store, isWanted);
    if (isWanted) await noteHead(this.#folders.store, head);
    return head;
  }

  /** Without the service, what is on its shelves would be out of reach. */
  async #requireEmptyShelves(): Promise<void> {
    if (!(await this.#isServed()) || !(await this.#mayHoldPacks())) return;
    const hint =
      "`sett hoard` fetches them, with `services.packs: service` as before. Where the instance is with another Docker Engine, name that one (DOCKER_HOST, `docker context use`).";
    const message = "Agents have left results with the service of packs, which would be removed.";
    throw new SettError("repository-unusable", message, { hint });
  }

  async remove(): Promise<void> {
    await this.#folders.remove();
  }

  async openToApi(): Promise<void> {
    await this.#folders.openToApi();
  }

  foldersFor(reader: Reader): SharedFolder[] {
    return this.#folders.foldersFor(reader);
  }

  async show(
    commits: readonly CommitHash[],
    onProgress?: (news: GitProgress | GitWait) => void,
  ): Promise<void> {
    // Agents see all that it has.
    if (this.#copy !== undefined) return await this.#copy.sync();
    await this.#folders.show(commits, onProgress);
    if (!(await this.#isServed())) return;
    const head = await headOf(this.#folders.store);
    if (commits.includes(head)) await noteHead(this.#folders.store, head);
    await this.serve();
  }

  /** Reads the list before the store, so that what another program adds meanwhile is not lost. */
  async serve(): Promise<void> {
    if (!(await this.#isServed())) return;
    const client = this.#client;
    for (let tries = 1; ; tries++) {
      try {
        const { list, tag } = await client.list();
        const files = await this.#send(client, list.files);
        const isSame = tag !== undefined && JSON.stringify(files) === JSON.stringify(list.files);
        if (isSame || (await client.putList({ files }, tag))) return;
      } catch (error) {
        // The other program may have put small packs together.
        if (Object(error).code !== "ENOENT" || tries === maxTries) throw error;
      }
      if (tries === maxTries)
        throw new SettError("git-failed", "Other programs change the store again and again.");
    }
  }

  /** Resolves with all files of the store, when the service has their contents. */
  async #send(client: PacksClient, before: readonly StoreFile[]): Promise<StoreFile[]> {
    const { path: store } = this.#folders.store;
    const known = new Map(before.map((file) => [file.path, file]));
    const files: StoreFile[] = [];
    for (const path of await filesOf(store)) {
      const place = join(store, path);
      const { size: bytes } = await lstat(place);
      const there = known.get(path);
      // What is named by its content is the same under the same name.
      const isSame = there?.bytes === bytes && !path.includes("info/");
      const sha256 = isSame ? there.sha256 : await hashOfFile(place);
      if (there?.sha256 !== sha256) await client.putFile(sha256, place);
      files.push({ path, bytes, sha256 });
    }
    return files;
  }

  async lacking(commit: CommitHash): Promise<Lacking[]> {
    return this.#copy === undefined ? await this.#folders.lacking(commit) : [];
  }

  async shown(): Promise<ShownSize | undefined> {
    return await this.#folders.shown();
  }

  async quarantine(folder?: string): Promise<Quarantine> {
    const quarantine = await this.#folders.quarantine(folder);
    if (!(await this.#isServed())) return quarantine;
    const client = this.#client;
    return {
      ...{ objectsDir: quarantine.objectsDir, costly: quarantine.costly },
      take: (wanted) => takeServed(client, quarantine, wanted),
      keepContents: (commits, revisions) => quarantine.keepContents(commits, revisions),
      isPublished: (commit) => quarantine.isPublished(commit),
      [Symbol.asyncDispose]: () => quarantine[Symbol.asyncDispose](),
    };
  }

  async bring<Result extends RecordedCommit>(
    results: readonly Result[],
    packOf: (result: Result) => Promise<Uint8Array>,
  ): Promise<AsyncDisposable> {
    return await this.#folders.bring(results, packOf);
  }

  get brought(): BroughtCommits {
    const { brought } = this.#folders;
    return {
      objectsDir: brought.objectsDir,
      ...{ seen: (commits) => brought.seen(commits), named: () => brought.named() },
      ...{ name: (id, commit) => brought.name(id, commit), forget: (id) => brought.forget(id) },
      take: async (commit, from) => {
        // The person's store replaces what the service has, and would not have it.
        if (this.#copy !== undefined) throw takesNone();
        await brought.take(commit, from);
        await this.serve();
      },
    };
  }

  async release(fetched: ReadonlySet<CommitHash>): Promise<void> {
    await this.#folders.release(fetched);
    if (!(await this.#isServed())) return;
    const client = this.#client;
    const packs = (await client.packs()).filter(({ commit }) => fetched.has(commit));
    if (packs.length === 0) return;
    await keepFetched(this.#folders.store, [...new Set(packs.map(({ commit }) => commit))]);
    // Others go on from them: they are in the store before their packs go.
    await this.serve();
    for (const { agent, commit } of packs) await client.remove(agent, commit);
  }

  async erase(...order: Parameters<HostExchange["erase"]>): Promise<void> {
    await this.#folders.erase(...order);
    if (!(await this.#isServed())) return;
    await this.serve();
    const [commits] = order;
    for (const { agent, commit } of await this.#client.packs())
      if (commits.includes(commit)) await this.#client.remove(agent, commit);
  }

  async mayHoldResults(): Promise<boolean> {
    if (await this.#folders.mayHoldResults()) return true;
    return (await this.#isServed()) && (await this.#mayHoldPacks());
  }

  /** What cannot be asked may hold something. */
  async #mayHoldPacks(): Promise<boolean> {
    try {
      return (await this.#client.packs()).length > 0;
    } catch {
      return true;
    }
  }

  async holdings(now?: number): Promise<AgentHoldings[]> {
    const inFolders = await this.#folders.holdings(now);
    if (!(await this.#isServed())) return inFolders;
    const shelves = new Map<AgentName, number>();
    for (const { agent, bytes } of await this.#client.packs())
      shelves.set(agent, (shelves.get(agent) ?? 0) + bytes);
    const onShelves = [...shelves].map(([agent, bytes]) => ({
      ...{ agent, bytes, unpublished: [] },
      path: `the shelf of ${agent}`,
    }));
    return [...inFolders, ...onShelves].sort((one, other) => (one.agent < other.agent ? -1 : 1));
  }

  async #isServed(): Promise<boolean> {
    return this.#copy !== undefined || (await isServed(this.#folders.store));
  }
}

function takesNone(): SettError {
  const hint = "Run `sett forage` there once at this commit, or begin at one that agents see.";
  const message =
    "This API does not see the repository, and takes no commit that is new to agents.";
  return new SettError("usage", message, { hint });
}

/** The files of a store that agents need, in an order that stays. */
async function filesOf(store: string): Promise<string[]> {
  const found: string[] = [];
  for (const [folder, prefix] of [
    [store, ""],
    [moduleStorePath(store), "modules/"],
  ] as const) {
    const packs = join(folder, "pack");
    const names = await packNamesIn(packs).catch(() => []);
    const files = new Set(await readdir(packs).catch(() => []));
    for (const name of names)
      for (const ending of packEndings)
        if (files.has(`${name}.${ending}`)) found.push(`${prefix}pack/${name}.${ending}`);
    // Ends of a history are noted before the packs that end there.
    for (const note of ["info/sett-shallow", "info/sett-head"])
      if (await isThere(join(folder, note))) found.push(`${prefix}${note}`);
  }
  const lfs = lfsStorePath(store);
  const contents = await readdir(lfs, { recursive: true }).catch(() => []);
  for (const path of contents) if (/\/[0-9a-f]{64}$/.test(path)) found.push(`lfs/${path}`);
  return found.sort();
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/**
 * Takes what agents have published from the shelves, as from their folders: first that of the agent
 * on record. What agents have left in folders before there was the service is taken as well.
 */
async function takeServed(
  client: PacksClient,
  quarantine: PackQuarantine,
  wanted: readonly RecordedCommit[],
): Promise<Map<CommitHash, string>> {
  const problems = new Map<CommitHash, string>();
  for (const each of wanted) {
    const problem = await takeOne(client, quarantine, each).catch(messageOf);
    if (problem !== undefined && problem !== "") problems.set(each.commit, problem);
  }
  return problems;
}

/** Undefined when it was taken, else why not: empty where it is nowhere. */
async function takeOne(
  client: PacksClient,
  quarantine: PackQuarantine,
  wanted: RecordedCommit,
): Promise<string | undefined> {
  const { commit } = wanted;
  const packs = await client.packs(commit);
  const isOwn = ({ agent }: ShelfPack) => agent === wanted.agent;
  let first = "";
  for (const pack of [...packs.filter(isOwn), ...packs.filter((one) => !isOwn(one))]) {
    const problem = await takePack(client, quarantine, pack).catch(messageOf);
    if (problem === undefined) return undefined;
    first ||= problem;
  }
  return (await quarantine.take([wanted])).get(commit) ?? first;
}

/** The pack lies where its agent would have left it, for as long as it is taken from there. */
async function takePack(
  client: PacksClient,
  quarantine: PackQuarantine,
  pack: ShelfPack,
): Promise<string | undefined> {
  const landing = join(quarantine.objectsDir, "sett-landing");
  const place = join(landing, pack.agent, packName(pack.commit));
  await mkdir(dirname(place), { recursive: true });
  try {
    if (!(await client.getPack(pack, place, maxPackBytes))) return "";
    return (await quarantine.take([pack], landing)).get(pack.commit);
  } finally {
    await rm(landing, { recursive: true, force: true });
  }
}
