// The id of an instance in the configuration of its repository, where it outlives the volumes.
import { join } from "node:path";
import type { InstanceName } from "../model/ids.ts";
import { changeOwner } from "./change-owner.ts";
import type { RepositoryPlace } from "./find-repository.ts";
import { type Git, runGit, tryGit } from "./run-git.ts";
import { withoutRepository } from "./user-environment.ts";

/** Every method throws git-failed, as where the configuration cannot be written. */
export class KeptId {
  readonly #git: Git;
  readonly #place: RepositoryPlace;
  readonly #section: string;

  /** `env`: the whole environment of git; variables that name a repository are left out. */
  constructor(place: RepositoryPlace, instance: InstanceName, env: Readonly<Record<string, string | undefined>>) {
    this.#git = { path: "git", env: withoutRepository(env) };
    this.#place = place;
    this.#section = `sett.${instance}`;
  }

  /** Undefined where there is none. */
  async read(): Promise<string | undefined> {
    const found = await tryGit(this.#git, this.#config(["--get", `${this.#section}.id`]));
    return found.exitCode === 0 ? found.stdout.trim() : undefined;
  }

  async write(id: string): Promise<void> {
    await this.#change([`${this.#section}.id`, id]);
  }

  /** There may be none. */
  async remove(): Promise<void> {
    if ((await this.read()) !== undefined) await this.#change(["--remove-section", this.#section]);
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
