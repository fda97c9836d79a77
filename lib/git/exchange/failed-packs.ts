// The packs of an instance's agents which exceeded the limits of git on this machine. A pack of
// some kilobytes may cost half a minute before that is known, and each command that shows results
// would pay for it again.
//
//   .git/sett/failed-packs/INSTANCE.json
import { mkdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InstanceName } from "../../model/ids.ts";
import { changeOwner } from "../run/change-owner.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { readAt, type UntrustedFile } from "../run/untrusted-folder.ts";

const maxPacks = 1_000;
/** The machine may have been short of memory, or has got another git since. */
const triedAgainMs = 24 * 60 * 60_000;
/** The longer digest of both formats of objects. */
const digestBytes = 32;

/** `at`: ISO 8601. */
type Failure = { problem: string; at: string };

/**
 * By size and by git's digest at the end, and not by what an agent can change at will, such as its
 * times. Where the rest does not fit the digest, no git takes it; but it may cost as much before
 * that is known, so that what one agent has does not count for another one.
 */
export function keyOf(agent: string, { fd, size }: UntrustedFile): string {
  return `${agent} ${size} ${readAt(fd, Math.max(0, size - digestBytes), digestBytes).toString("hex")}`;
}

export class FailedPacks {
  readonly #path: string;
  readonly #place: RepositoryPlace;
  readonly #failures: Map<string, Failure>;
  #isChanged = false;

  private constructor(place: RepositoryPlace, path: string, failures: Map<string, Failure>) {
    this.#place = place;
    this.#path = path;
    this.#failures = failures;
  }

  /** A file that cannot be read is as good as none: then each is tried once more. */
  static async read(place: RepositoryPlace, instance: InstanceName): Promise<FailedPacks> {
    const path = pathOf(place, instance);
    try {
      return new FailedPacks(place, path, failuresIn(JSON.parse(await readFile(path, "utf8"))));
    } catch {
      return new FailedPacks(place, path, new Map());
    }
  }

  /** Why a pack is not tried again; undefined where it is to be tried. */
  problemOf(key: string, now = Date.now()): string | undefined {
    const failure = this.#failures.get(key);
    if (failure === undefined || now - Date.parse(failure.at) > triedAgainMs) return undefined;
    return `${failure.problem} (tried at ${failure.at}, and once a day)`;
  }

  note(key: string, problem: string, now = Date.now()): void {
    this.#failures.delete(key);
    this.#failures.set(key, { problem, at: new Date(now).toISOString() });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > maxPacks && oldest !== undefined) this.#failures.delete(oldest);
    this.#isChanged = true;
  }

  /**
   * A process that may write nothing, as in the API's container, remembers them alone. Never
   * rejects.
   */
  async save(): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const unfinished = `${this.#path}.${crypto.randomUUID()}`;
    try {
      await mkdir(dirname(this.#path), { recursive: true });
      await writeFile(unfinished, JSON.stringify(Object.fromEntries(this.#failures)), {
        flag: "wx",
      });
      await rename(unfinished, this.#path);
      await changeOwner(this.#place.owner, dirname(this.#path), this.#path);
    } catch {
      await rm(unfinished, { force: true }).catch(() => undefined);
    }
  }
}

/** An entry that is no failure is passed over. */
function failuresIn(content: unknown): Map<string, Failure> {
  const failures = new Map<string, Failure>();
  for (const [key, value] of Object.entries(Object(content))) {
    const { problem, at } = Object(value);
    if (typeof problem === "string" && typeof at === "string") failures.set(key, { problem, at });
  }
  return failures;
}

/** Nothing there is fine. */
export async function removeFailedPacks(
  place: RepositoryPlace,
  instance: InstanceName,
): Promise<void> {
  const path = pathOf(place, instance);
  await rm(path, { force: true });
  // Other instances may have theirs in there.
  await rmdir(dirname(path)).catch(() => undefined);
}

function pathOf({ commonDir }: RepositoryPlace, instance: InstanceName): string {
  return join(commonDir, "sett/failed-packs", `${instance}.json`);
}
