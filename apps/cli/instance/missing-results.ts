// Records, in a file, that `sett down` could not fetch all results of an instance: without a
// running Redis nothing else knows it.
import { mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { changeOwner } from "../../../lib/git/run/change-owner.ts";
import type { RepositoryPlace } from "../../../lib/git/run/find-repository.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { exists } from "../program/workspace-root.ts";

export class MissingResults {
  readonly #place: RepositoryPlace;
  readonly #path: string;

  constructor(place: RepositoryPlace, instance: InstanceName) {
    this.#place = place;
    this.#path = join(place.commonDir, "sett/unfetched", instance);
  }

  isNoted(): Promise<boolean> {
    return exists(this.#path);
  }

  async note(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    await writeFile(this.#path, "");
    await changeOwner(
      this.#place.owner,
      dirname(dirname(this.#path)),
      dirname(this.#path),
      this.#path,
    );
  }

  async forget(): Promise<void> {
    await rm(this.#path, { force: true });
    // The folder may hold the files of other instances.
    await rmdir(dirname(this.#path)).catch(() => undefined);
  }
}
