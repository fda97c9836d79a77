// The id of an instance in the configuration of its repository, where it outlives the volumes, and
// what else is the instance's by no label of its own.
import { join, relative } from "node:path";
import { InstanceName } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { type Git, runGit, tryGit } from "../run/run-git.ts";
import { withoutRepository } from "../run/user-environment.ts";

/**
 * `image`: ids of images that were built for the instance's agents. `building`: names of images
 * whose building was begun, and of which it is not known whether it has ended.
 */
export type Known = "image" | "building";

/** Every method throws git-failed, as where the configuration cannot be written. */
export class KeptId {
  readonly instance: InstanceName;
  readonly #git: Git;
  readonly #place: RepositoryPlace;
  readonly #section: string;

  /** `env`: the whole environment of git; variables that name a repository are left out. */
  constructor(
    place: RepositoryPlace,
    instance: InstanceName,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.instance = instance;
    this.#git = { path: "git", env: withoutRepository(env) };
    this.#place = place;
    this.#section = `sett.${instance}`;
  }

  /** The instances of which the repository has an id: none that `down --volumes` has removed. */
  static async instances(
    { commonDir }: RepositoryPlace,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<InstanceName[]> {
    const words = ["--null", "--name-only", "--get-regexp", "^sett\\..*\\.id$"];
    const args = ["config", "--file", join(commonDir, "config"), ...words];
    const run = { args, cwd: commonDir };
    const { stdout } = await tryGit({ path: "git", env: withoutRepository(env) }, run);
    const names = stdout.split("\0").map((key) => key.slice("sett.".length, -".id".length));
    return names.flatMap((name) => InstanceName.safeParse(name).data ?? []);
  }

  /** The ids of instances, and the places of those that are in a cluster. */
  static async known(
    folder: string,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<{ instance: InstanceName; id: string | undefined; place: string | undefined }[]> {
    const args = ["config", "--null", "--get-regexp", "^sett\\..*\\.(id|kubernetes)$"];
    const run = { args, cwd: folder };
    const { stdout } = await tryGit({ path: "git", env: withoutRepository(env) }, run);
    const values = new Map(
      stdout.split("\0").map((entry) => {
        const at = entry.indexOf("\n");
        return [entry.slice(0, at), entry.slice(at + 1)] as const;
      }),
    );
    const names = [...values.keys()].map((key) => /^sett\.(.*)\.(?:id|kubernetes)$/.exec(key)?.[1]);
    return [...new Set(names)].flatMap((name) => {
      const instance = InstanceName.safeParse(name).data;
      if (instance === undefined) return [];
      const [id, place] = ["id", "kubernetes"].map((key) => values.get(`sett.${name}.${key}`));
      return [{ instance, id, place }];
    });
  }

  /** Undefined where there is none. */
  async read(): Promise<string | undefined> {
    return await this.#read("id");
  }

  /**
   * Also in which work tree the instance is, so that it is known again where the repository was
   * moved.
   */
  async write(id: string): Promise<void> {
    await this.#change([`${this.#section}.id`, id]);
    await this.#change([
      `${this.#section}.worktree`,
      relative(this.#place.commonDir, this.#place.toplevel),
    ]);
  }

  /** Whether `sett up` has ever completed; a first one that failed leaves the id to its images. */
  async hasBeenUp(): Promise<boolean> {
    return (await this.#read("up")) === "true";
  }

  async noteUp(): Promise<void> {
    if (!(await this.hasBeenUp())) await this.#change([`${this.#section}.up`, "true"]);
  }

  /** The Engine with which it was up last, or where its processes were. */
  async readEngine(): Promise<string | undefined> {
    return await this.#read("engine");
  }

  async noteEngine(identity: string): Promise<void> {
    if ((await this.readEngine()) !== identity)
      await this.#change([`${this.#section}.engine`, identity]);
  }

  async readCluster(): Promise<string | undefined> {
    return await this.#read("kubernetes");
  }

  /** The place of an instance that is in a cluster; undefined for one that is in none. */
  async noteCluster(place: string | undefined): Promise<void> {
    if ((await this.readCluster()) === place) return;
    const key = `${this.#section}.kubernetes`;
    await this.#change(place === undefined ? ["--unset-all", key] : [key, place]);
  }

  /**
   * How many events the log had ever had when this was noted, and the id of the last one; undefined
   * where it was not.
   */
  async log(): Promise<{ logged: number; end: string } | undefined> {
    const [, logged, end] = /^(\d+) (\d+-\d+|0)$/.exec((await this.#read("events")) ?? "") ?? [];
    return logged === undefined || end === undefined ? undefined : { logged: Number(logged), end };
  }

  async noteLog({ logged, end }: { logged: number; end: string }): Promise<void> {
    const text = `${logged} ${end}`;
    if ((await this.#read("events")) !== text)
      await this.#change([`${this.#section}.events`, text]);
  }

  /** Its path, relative to the repository's own folder; undefined where there is none. */
  async readWorktree(): Promise<string | undefined> {
    return await this.#read("worktree");
  }

  async list(what: Known): Promise<string[]> {
    const found = await tryGit(this.#git, this.#config(["--get-all", `${this.#section}.${what}`]));
    return found.exitCode === 0 ? found.stdout.split("\n").filter((line) => line !== "") : [];
  }

  /** A value that is there already is no error. */
  async add(what: Known, value: string): Promise<void> {
    if ((await this.list(what)).includes(value)) return;
    await this.#change(["--add", `${this.#section}.${what}`, value]);
  }

  /** A value that is not there is no error. */
  async drop(what: Known, value: string): Promise<void> {
    if (!(await this.list(what)).includes(value)) return;
    await this.#change([
      "--unset-all",
      `${this.#section}.${what}`,
      `^${value.replaceAll(".", "\\.")}$`,
    ]);
  }

  /** There may be nothing. */
  async remove(): Promise<void> {
    const found = await tryGit(
      this.#git,
      this.#config(["--get-regexp", `^sett\\.${this.instance}\\.`]),
    );
    if (found.exitCode === 0) await this.#change(["--remove-section", this.#section]);
  }

  async #read(
    key: "id" | "worktree" | "up" | "events" | "kubernetes" | "engine",
  ): Promise<string | undefined> {
    const found = await tryGit(this.#git, this.#config(["--get", `${this.#section}.${key}`]));
    return found.exitCode === 0 ? found.stdout.trim() : undefined;
  }

  /** git writes a new file, as the user who runs it. */
  async #change(args: readonly string[]): Promise<void> {
    await runGit(this.#git, this.#config(args));
    await changeOwner(this.#place.owner, join(this.#place.commonDir, "config"));
  }

  #config(args: readonly string[]) {
    const { commonDir } = this.#place;
    return { args: ["config", "--file", join(commonDir, "config"), ...args], cwd: commonDir };
  }
}
