// The folders of an eval: clones that go with it, which are of this file alone, and its results.
import { createHash } from "node:crypto";
import { mkdir, readdir, realpath, rm, rmdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import type { RepositoryPlace } from "../../../lib/git/run/find-repository.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { acquireLock } from "../../../lib/runtime/process/file-lock.ts";
import { everyInstance } from "../instance/runtimes.ts";
import type { Shell } from "../terminal/shell.ts";

type Own = { id: string; home: string; lock: AsyncDisposable };

/** The same repository and file have the same names, by which a later eval finds what is left. */
export class EvalPlace implements AsyncDisposable {
  readonly #id: string;
  readonly #home: string;
  readonly #lock: AsyncDisposable;
  /** The folder that stays. */
  readonly results: string;

  private constructor({ id, home, lock }: Own, results: string) {
    this.#id = id;
    this.#home = home;
    this.#lock = lock;
    this.results = results;
  }

  /**
   * `file`: of the eval. `to`: a folder for the results, which must be empty. Throws `usage`, and
   * `instance-taken` where another eval of the file is at work.
   */
  static async open(
    { commonDir }: Pick<RepositoryPlace, "commonDir">,
    { file, to }: { file: string; to: string | undefined },
    shell: Pick<Shell, "cwd">,
  ): Promise<EvalPlace> {
    const whole = await realpath(resolve(shell.cwd, file));
    const digest = createHash("sha256").update(`${commonDir}\0${whole}`).digest("hex");
    const id = `eval-${digest.slice(0, 8)}`;
    const folder = join(commonDir, "sett/eval");
    const at = new Date().toISOString().replaceAll(":", "");
    const results =
      to === undefined
        ? join(folder, "results", `${basename(whole).replace(/\.ya?ml$/, "")}-${at}`)
        : resolve(shell.cwd, to);
    const home = join(folder, id);
    await mkdir(home, { recursive: true });
    const lock = await acquireLock(join(home, "lock"), `process ${process.pid}`);
    if (lock.outcome === "taken")
      throw new SettError(
        "instance-taken",
        `Another \`sett eval\` of this file is at work, ${lock.by}.`,
        { hint: "Wait until it ends, or interrupt it." },
      );
    const place = new EvalPlace({ id, home, lock }, results);
    try {
      await requireEmpty(results, to);
    } catch (error) {
      await place[Symbol.asyncDispose]();
      throw error;
    }
    return place;
  }

  /** `at`: of the setting, from 0. */
  nameOf(at: number): InstanceName {
    return InstanceName.parse(`${this.#id}-${at + 1}`);
  }

  cloneOf(at: number): string {
    return join(this.#home, String(at + 1));
  }

  folderOf(at: number, setting: string): string {
    return join(this.results, `${at + 1}-${fileNameOf(setting)}`);
  }

  /** An earlier eval of the file has left these: it was killed, or kept its instances. */
  async leftovers(shell: Shell): Promise<InstanceName[]> {
    const { instances } = await everyInstance(shell);
    return instances
      .map(({ instance }) => instance)
      .filter((name) => name.startsWith(`${this.#id}-`));
  }

  async removeClones(): Promise<void> {
    for (const name of await readdir(this.#home))
      if (name !== "lock") await rm(join(this.#home, name), { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing stays where nothing was tried.
    await rmdir(this.results).catch(() => undefined);
    await this.#lock[Symbol.asyncDispose]();
    // Clones that are kept stay.
    if ((await readdir(this.#home)).length === 0) await rm(this.#home, { recursive: true });
  }
}

/** A part of a path, by which a person knows the setting again. */
export function fileNameOf(setting: string): string {
  return setting.replace(/[^\w.=-]+/g, "_").slice(0, 80);
}

async function requireEmpty(folder: string, to: string | undefined): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0) return void (await mkdir(folder, { recursive: true }));
  throw new SettError("usage", `${to ?? folder} is not empty.`, {
    hint: "Name another folder: --to DIR",
  });
}
