// The last lines of removed containers: a file for each, beside the exchange, so that they can be
// read while nothing runs.
//
// .git/sett/logs/INSTANCE/PART/CREATED-ID a header, then the lines of the log
// .git/sett/logs/INSTANCE/PART/workers the blackboard's logs of an agent's workers, while the
// instance is down
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { changeOwner } from "../../../lib/git/run/change-owner.ts";
import type { RepositoryPlace } from "../../../lib/git/run/find-repository.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerPart } from "../../../lib/runtime/port.ts";
import { inOrderOfTime } from "./worker-logs.ts";

/** For each container. */
export const maxLines = 200;
/** For each part: its newest removed containers. */
const maxContainers = 5;
/** For all workers of an agent together. */
const maxWorkerLines = 1_000;
/** Longer lines are cut: a line of a log may hold a whole output. */
const maxLineLength = 16 * 1024;

const workersFile = "workers";

type Header = { container: string; removed_at: string; by: string };
export type KeptLog = { container: string; removedAt: string; lines: string[] };

export class KeptLogs {
  readonly #place: RepositoryPlace;
  readonly #folder: string;

  constructor(place: RepositoryPlace, instance: InstanceName) {
    this.#place = place;
    this.#folder = join(place.commonDir, "sett/logs", instance);
  }

  /**
   * Call this before the container is removed; a repeat does no harm. `by`: the command that
   * removes it, as a person types it.
   */
  async keep(
    part: string,
    { id, createdAt }: Pick<ContainerPart, "id" | "createdAt">,
    lines: string[],
    by: string,
  ): Promise<void> {
    const header: Header = { container: id, removed_at: new Date().toISOString(), by };
    const last = lines.slice(-maxLines);
    // The name sorts by time of creation. Some file systems allow no colons.
    await this.#write(part, `${createdAt.replaceAll(":", "")}-${id.slice(0, 12)}`, [
      JSON.stringify(header),
      ...last,
    ]);
    const surplus = (await this.#files(part)).slice(0, -maxContainers);
    for (const file of surplus) await rm(join(this.#folder, part, file), { force: true });
  }

  async keepWorkers(part: string, lines: string[]): Promise<void> {
    await this.#write(part, workersFile, lines.slice(-maxWorkerLines));
  }

  /**
   * Oldest first, without containers that still exist. Each log ends with a line that names the
   * command that removed the container.
   */
  async of(part: string, present: readonly Pick<ContainerPart, "id">[]): Promise<KeptLog[]> {
    const logs = await Promise.all((await this.#files(part)).map((file) => this.#read(part, file)));
    return logs.flatMap((log) =>
      log === undefined || present.some(({ id }) => id === log.container) ? [] : [log],
    );
  }

  /** The names of the parts with kept logs. */
  async parts(): Promise<string[]> {
    return (await namesIn(this.#folder)).sort();
  }

  /** The blackboard's logs of workers, from the time when the instance went down. */
  async workersOf(part: string): Promise<string[]> {
    return linesOf(await readFile(join(this.#folder, part, workersFile), "utf8").catch(() => ""));
  }

  /**
   * Removes the logs of containers that were removed before a time; `isDry` only counts them.
   * Returns how many.
   */
  async removeBefore(ms: number, { isDry }: { isDry: boolean }): Promise<number> {
    let count = 0;
    for (const part of await namesIn(this.#folder)) {
      for (const file of await this.#files(part)) {
        const log = await this.#read(part, file);
        if (log === undefined || Date.parse(log.removedAt) >= ms) continue;
        if (!isDry) await rm(join(this.#folder, part, file), { force: true });
        count += 1;
      }
    }
    return count;
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    // The folder may hold the logs of other instances.
    await rmdir(dirname(this.#folder)).catch(() => undefined);
  }

  async #files(part: string): Promise<string[]> {
    const names = await namesIn(join(this.#folder, part));
    return names.filter((name) => name !== workersFile && !name.endsWith(unfinished)).sort();
  }

  async #read(part: string, file: string): Promise<KeptLog | undefined> {
    const [first = "", ...lines] = linesOf(
      await readFile(join(this.#folder, part, file), "utf8").catch(() => ""),
    );
    const header = headerOf(first);
    if (header === undefined) return undefined;
    const { container, removed_at, by } = header;
    const msg = `End of the log of a container that \`${by}\` has removed; at most its last ${maxLines} lines are kept`;
    const mark = JSON.stringify({
      time: removed_at,
      level: "info",
      msg,
      container: container.slice(0, 12),
      removed_at,
    });
    return { container, removedAt: removed_at, lines: [...lines, mark] };
  }

  /**
   * Writes the whole file or none. Only its owner may read it, because a log may contain secrets.
   */
  async #write(part: string, name: string, lines: readonly string[]): Promise<void> {
    const folder = join(this.#folder, part);
    const path = join(folder, name);
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) await changeOwner(this.#place.owner, ...foldersBetween(made, folder));
    const draft = `${path}.${randomUUID()}${unfinished}`;
    await writeFile(draft, lines.map((line) => `${shortened(line)}\n`).join(""), {
      flag: "wx",
      mode: 0o600,
    });
    await changeOwner(this.#place.owner, draft);
    await rename(draft, path);
  }
}

const unfinished = ".new";

/** The part under which a container's log is kept; a worker's is kept with its agent. */
export function logPartOf({ labels }: Pick<ContainerPart, "labels">): string {
  return "agent" in labels ? labels.agent : labels.component;
}

/** The kept logs of one part as one log, with the lines of its workers in order of time. */
export function asOneLog(kept: readonly KeptLog[], workers: string[]): string[] {
  return workers.length === 0
    ? kept.flatMap(({ lines }) => lines)
    : inOrderOfTime(...kept.map(({ lines }) => lines), workers);
}

function shortened(line: string): string {
  if (line.length <= maxLineLength) return line;
  return `${line.slice(0, maxLineLength)}… (${line.length - maxLineLength} more characters)`;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function headerOf(text: string): Header | undefined {
  try {
    const { container, removed_at, by } = JSON.parse(text);
    return typeof container === "string" && typeof removed_at === "string"
      ? { container, removed_at, by: String(by) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Both included. */
function foldersBetween(upper: string, lower: string): string[] {
  const folders = [lower];
  for (let folder = lower; folder !== upper && folder !== dirname(folder); folder = dirname(folder))
    folders.push(dirname(folder));
  return folders;
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}
