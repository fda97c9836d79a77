// The folder with everything of this runtime: specifications, states, logs, volumes. Where Docker
// has labels, this runtime has files.
//
// processes/ID/spec.json its specification volumes/NAME/ a volume's files processes/ID/state.json
// its state, by its supervisor volumes/NAME.json its labels processes/ID/log, log.1 its lines, a
// JSON object each networks/NAME.json the labels of a network, which is nothing else names/NAME a
// link to processes/ID
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { SettError } from "../../model/errors.ts";
import type { ProcessId } from "../../process/process-id.ts";
import { identifyPart } from "../identify-part.ts";
import { type PartLabels, writeLabels } from "../labels.ts";

/** Everything is resolved: starting it, also again, needs nothing of the runtime that wrote it. */
export type ProcessSpec = {
  name: string;
  labels: Record<string, string>;
  image: string;
  command: string[];
  /** The whole environment. */
  env: Record<string, string>;
  workingDir: string;
  /** Made before the process starts, and removed together with it. */
  secretsFolder?: string;
  ports: { port: number; hostPort: number }[];
  restart: "no" | "unless-stopped";
  createdAt: string;
};

/** The state of a process, which only its supervisor writes. */
export type ProcessState = { supervisor: ProcessId; restarts: number } & (
  | { state: "running"; child: ProcessId | undefined; startedAt: string }
  | { state: "restarting"; exitCode: number }
  | { state: "exited"; exitCode: number; endedAt: string }
);

export type FoundProcess = { id: string; folder: string; spec: ProcessSpec };

export type StoredLine = { time: string; stream: "stdout" | "stderr"; line: string };

export const logFile = "log";
export const olderLog = (path: string) => `${path}.1`;
const specFile = "spec.json";
const stateFile = "state.json";

/** A password may be among the variables: no other user may read it. */
const ownFile = { mode: 0o600 };
const ownFolder = { recursive: true, mode: 0o700 };

export class Registry {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Throws `process-failed`. */
  async open(): Promise<void> {
    try {
      for (const folder of ["processes", "names", "volumes", "networks"])
        await mkdir(join(this.root, folder), ownFolder);
    } catch (cause) {
      const hint = "Set XDG_STATE_HOME to another folder.";
      throw new SettError(
        "process-failed",
        `The folder for the processes of Sett cannot be made: ${this.root}.`,
        {
          hint,
          cause,
        },
      );
    }
  }

  processFolder(id: string): string {
    return join(this.root, "processes", id);
  }

  volumeFolder(name: string): string {
    return join(this.root, "volumes", name);
  }

  /**
   * Returns false when the name is in use. A name whose process does not exist any more is free.
   */
  async reserveName(name: string, id: string): Promise<boolean> {
    const link = () => isNew(symlink(join("..", "processes", id), join(this.root, "names", name)));
    if (await link()) return true;
    if ((await this.find(name)) !== undefined) return false;
    await this.releaseName(name);
    return await link();
  }

  async releaseName(name: string): Promise<void> {
    await rm(join(this.root, "names", name), { force: true });
  }

  /** By its id or its name; undefined when there is none. */
  async find(process: string): Promise<FoundProcess | undefined> {
    const link = await readlink(join(this.root, "names", process)).catch(() => process);
    const id = basename(link);
    const folder = this.processFolder(id);
    const spec = readSpec(folder);
    return spec === undefined ? undefined : { id, folder, spec };
  }

  async processes(): Promise<FoundProcess[]> {
    const ids = await namesIn(join(this.root, "processes"));
    const found = await Promise.all(ids.map((id) => this.find(id)));
    return found.filter((process) => process !== undefined);
  }

  /** Returns false when there is a volume or network of that name. */
  async createLabels(
    kind: "volumes" | "networks",
    name: string,
    labels: PartLabels,
  ): Promise<boolean> {
    const text = JSON.stringify(writeLabels(labels));
    return await isNew(writeFile(this.#labelsFile(kind, name), text, { ...ownFile, flag: "wx" }));
  }

  /** From its name where its creator was killed before it wrote the labels. */
  labelsOf(kind: "volumes" | "networks", name: string): PartLabels | undefined {
    const sort = kind === "volumes" ? "volume" : "network";
    return identifyPart(sort, name, readJson<Record<string, string>>(this.#labelsFile(kind, name)));
  }

  async removeLabels(kind: "volumes" | "networks", name: string): Promise<void> {
    await rm(this.#labelsFile(kind, name), { force: true });
  }

  async labelled(kind: "volumes" | "networks"): Promise<{ name: string; labels: PartLabels }[]> {
    const files = (await namesIn(join(this.root, kind))).filter((file) => file.endsWith(".json"));
    return files.sort().flatMap((file) => {
      const name = file.slice(0, -".json".length);
      const labels = this.labelsOf(kind, name);
      return labels === undefined ? [] : [{ name, labels }];
    });
  }

  #labelsFile(kind: "volumes" | "networks", name: string): string {
    return join(this.root, kind, `${name}.json`);
  }
}

export function readSpec(folder: string): ProcessSpec | undefined {
  return readJson<ProcessSpec>(join(folder, specFile));
}

export function writeSpec(folder: string, spec: ProcessSpec): void {
  mkdirSync(folder, ownFolder);
  writeJson(join(folder, specFile), spec);
}

/** Undefined when its supervisor has not started. */
export function readState(folder: string): ProcessState | undefined {
  return readJson<ProcessState>(join(folder, stateFile));
}

export function writeState(folder: string, state: ProcessState): void {
  writeJson(join(folder, stateFile), state);
}

/** A reader gets the old content or the new, never a part. */
function writeJson(path: string, value: unknown): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, JSON.stringify(value), ownFile);
  renameSync(unfinished, path);
}

function readJson<Value>(path: string): Value | undefined {
  try {
    // Only this runtime writes here.
    return JSON.parse(readFileSync(path, "utf8")) as Value;
  } catch {
    return undefined;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}

/** False when it exists already. */
async function isNew(making: Promise<unknown>): Promise<boolean> {
  try {
    await making;
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
