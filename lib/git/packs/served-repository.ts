// A repository for a program of an instance that does not see the person's, as on an Engine of
// another machine: it has what agents see, from the service of packs, and names of its own.
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SettError } from "../../model/errors.ts";
import { readDepth, readHead } from "../exchange/store-notes.ts";
import { makeStore } from "../run/borrowing.ts";
import { type Git, runGit } from "../run/run-git.ts";
import { withoutRepository } from "../run/user-environment.ts";
import { type PacksAddress, PacksClient } from "./packs-client.ts";
import { StoreCopy } from "./store-copy.ts";

/** A person or a program waits for the answer of the API. */
const patienceMs = 5_000;

export class ServedRepository {
  /** A bare one. */
  readonly path: string;
  readonly #store: StoreCopy;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, store: StoreCopy) {
    this.path = path;
    this.#store = store;
  }

  /**
   * `folder`: this program's own; what it had there before is used again. Throws git-failed where
   * the service stays away, and not-ready before it has anything.
   */
  static async open(
    env: Git["env"],
    { folder, address }: { folder: string; address: PacksAddress },
  ): Promise<ServedRepository> {
    const [path, copy] = [join(folder, "repository"), join(folder, "store")];
    await mkdir(copy, { recursive: true });
    const store = new StoreCopy(copy, new PacksClient(async () => address, { patienceMs }));
    await store.sync();
    const head = await headOf(copy);
    const format = head.length === 64 ? "sha256" : "sha1";
    const args = ["init", "--quiet", "--bare", "--template=", `--object-format=${format}`, path];
    await runGit({ path: "git", env: withoutRepository(env) }, { args });
    await makeStore(join(path, "objects"), copy);
    const repository = new ServedRepository(path, store);
    await repository.#follow();
    return repository;
  }

  /** Fetches what is new. Throws as `open`. */
  async sync(): Promise<void> {
    const now = this.#last.then(async () => {
      await this.#store.sync();
      await this.#follow();
    });
    this.#last = now.catch(() => undefined);
    await now;
  }

  /** HEAD is the person's at the last `sett up` or `sett forage`. */
  async #follow(): Promise<void> {
    const depth = await readDepth(this.#store.path);
    const shallow = join(this.path, "shallow");
    if (depth === undefined) await rm(shallow, { force: true });
    else await replace(shallow, depth);
    await replace(join(this.path, "HEAD"), `${await headOf(this.#store.path)}\n`);
  }
}

async function headOf(store: string): Promise<string> {
  const head = await readHead(store);
  if (head !== undefined) return head;
  throw new SettError("not-ready", "The service of packs does not have the repository yet.", {
    hint: "`sett up` brings it there.",
  });
}

/** git may be reading it. */
async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}
