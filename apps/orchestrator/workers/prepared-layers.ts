// Prepares once for the workers of agents that say so (`workspace.prepare`): it is made for each
// key by containers of its own, and shared by all who begin with the same key
// (docs/internals/layers.md#prepared).
import { createHash } from "node:crypto";
import { RecentMap } from "../../../lib/async/recent-map.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { inPieces } from "../../../lib/model/in-pieces.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import {
  type Preparation,
  type Prepare,
  type PrepareBase,
  PreparedContent,
  type PreparedWorkspace,
} from "../../../lib/model/prepare.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { ContainerSpec, Mount } from "../../../lib/runtime/container-spec.ts";
import { MakerFailed } from "../../../lib/runtime/layer-maker.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { LayerVolumes, Maker, Shared } from "./layer-volumes.ts";

/** `spec`: of the container in which the command runs with its secrets, but for its workspace. */
export type PreparedTemplate = Omit<Prepare, "secrets"> & { spec: ContainerSpec };

/** `image`: the cub's own, of which all steps are but that of the command. */
export type PreparedOptions = {
  volumes: LayerVolumes;
  image: string;
  log: JsonLog;
  limits?: { maxPrepared: number; stepMs: number };
};

const usualLimits = { maxPrepared: 8, stepMs: 30 * 60_000 };

/** For whom: a grant asks again and again until it is there. */
export type Asker = { agent: AgentName; claim: string; attempt: number };

/** One making, for one key. `first`: for whom. `askers`: who waits for it, or has got it. */
type Made = Shared & {
  first: string;
  askers: Set<string>;
  preparation: Promise<Preparation>;
};

/** `volume`: whose folder `tree` has it. */
export type PreparedVolume = { volume: string; workspace: PreparedWorkspace };

const maxKnownKeys = 1_000;
const maxKnownFailures = 100;
/** Read by people: a hash of so many characters is long enough. */
const keyLength = 32;
const workspaceFolder = "/workspace";

export class PreparedLayers {
  readonly #options: PreparedOptions;
  readonly #limits: { maxPrepared: number; stepMs: number };
  /** By key, the one that was used last at the end. */
  readonly #made = new Map<string, Made>();
  /** The containers whose logs are not on record yet. */
  readonly #unrecorded = new RecentMap<string, true>(maxKnownKeys);
  /** The failures of the last attempts, by key. */
  readonly #failures = new RecentMap<string, Made>(maxKnownFailures);
  /** By what the key's files are asked of. */
  readonly #files = new RecentMap<string, Promise<string>>(maxKnownKeys);

  constructor(options: PreparedOptions) {
    this.#options = options;
    this.#limits = options.limits ?? usualLimits;
  }

  /**
   * Resolves once it is there, or cannot be made. Never rejects. All who ask wait for one making.
   */
  async ready(template: PreparedTemplate, base: PrepareBase, asker: Asker): Promise<Preparation> {
    const by = `${asker.agent} ${asker.claim} ${asker.attempt}`;
    try {
      const files = await this.#filesOf(template, base);
      const key = keyOf(template, files);
      const made = this.#madeFor(template, { base, key, by, agent: asker.agent });
      const preparation = await made.preparation;
      if (preparation.outcome === "not_needed") return preparation;
      const { log, ...known } = preparation;
      const isNew = log !== undefined && this.#unrecorded.get(log.container) === true;
      return isNew && made.first === by ? preparation : known;
    } catch (error) {
      return failed(error);
    }
  }

  /** The log of that container is on record, and goes to no asker any more. */
  forgetLog(container: string): void {
    this.#unrecorded.delete(container);
  }

  /**
   * What was made does not go while `use` runs. What `use` starts with it keeps it by itself: the
   * Engine removes no volume of a container. Throws where it is not there.
   */
  async holding<Result>(
    template: PreparedTemplate,
    base: PrepareBase,
    use: (held: PreparedVolume) => Promise<Result>,
  ): Promise<Result> {
    const files = await this.#filesOf(template, base);
    const made = this.#made.get(keyOf(template, files));
    if (made?.made === undefined)
      throw new SettError("docker-failed", "What was prepared is not there any more.");
    made.users++;
    try {
      const workspace = { key: template.key, files };
      return await use({ volume: made.made, workspace });
    } finally {
      made.users--;
    }
  }

  /** One that has failed is made again for the next attempt, and not for those who know it. */
  #madeFor(template: PreparedTemplate, { by, ...wanted }: Wanted & { by: string }): Made {
    const { key } = wanted;
    const failure = this.#failures.get(key);
    if (failure?.askers.has(by)) return failure;
    const made = this.#made.get(key) ?? this.#begin(template, wanted, by);
    made.askers.add(by);
    this.#made.delete(key);
    this.#made.set(key, made);
    return made;
  }

  #begin(template: PreparedTemplate, wanted: Wanted, by: string): Made {
    const { key } = wanted;
    const made: Made = {
      ...{ first: by, askers: new Set<string>(), users: 0 },
      preparation: Promise.resolve({ outcome: "not_needed" }),
    };
    // There is room for it where it is among those that are counted.
    this.#made.set(key, made);
    made.preparation = this.#make(template, wanted, made).catch((error: unknown) => {
      this.#made.delete(key);
      this.#failures.set(key, made);
      this.#options.log.warn("Could not prepare", { key, reason: messageOf(error) });
      return failed(error);
    });
    return made;
  }

  async #make(template: PreparedTemplate, wanted: Wanted, made: Made): Promise<Preparation> {
    const { base, key, agent } = wanted;
    const { volumes, log } = this.#options;
    const { stepMs, maxPrepared } = this.#limits;
    await volumes.evict(this.#made, maxPrepared);
    const startedAt = performance.now();
    const { spec } = template;
    const order = orderOf(template, base);
    const { volume, result } = await volumes.make(spec, key, async ({ volume, container, run }) => {
      this.#unrecorded.set(container, true);
      const workspace: Mount = { kind: "volume", volume, target: workspaceFolder, access: "rw" };
      const { name: _name, labels: _labels, ...like } = spec;
      const lines = await run(
        {
          ...like,
          entrypoint: ["/cub/cub", "--prepare", "run"],
          env: { ...like.env, ...order, SETT_WORKSPACE_DIR: workspaceFolder },
          mounts: [...like.mounts, workspace],
        },
        template.timeout_ms + stepMs,
      ).catch((error: unknown) => {
        throw error instanceof MakerFailed ? new CommandFailed(error, { container, agent }) : error;
      });
      const secrets = spec.mounts.filter(({ target }) => target === spec.env.SETT_SECRETS_DIR);
      const mounts = [...storeOf(spec), workspace, ...secrets];
      const sealing = this.#trusted(spec, "seal", { order, mounts });
      const content = PreparedContent.parse(lastOf(await run(sealing, stepMs)));
      return { content, log: { container, lines } };
    });
    made.made = volume;
    const duration_ms = Math.round(performance.now() - startedAt);
    log.info("Prepared", { key, volume, duration_ms, ...result.content });
    return { outcome: "ready", key, duration_ms, ...result };
  }

  async #filesOf(template: PreparedTemplate, base: PrepareBase): Promise<string> {
    const about = JSON.stringify([base.commit, template.key.toSorted()]);
    const known = this.#files.get(about);
    if (known !== undefined) return await known;
    const { spec } = template;
    const order = orderOf(template, base);
    const maker = this.#trusted(spec, "key", { order, mounts: storeOf(spec) });
    const answer = this.#options.volumes
      .ask(spec, base.commit, maker, this.#limits.stepMs)
      .then((lines) => String(Object(lastOf(lines)).files));
    this.#files.set(about, answer);
    answer.catch(() => this.#files.delete(about));
    return await answer;
  }

  /** It runs nothing but the cub, and has no network. */
  #trusted(
    spec: ContainerSpec,
    step: "key" | "seal",
    { order, mounts }: { order: Record<string, string>; mounts: Mount[] },
  ): Maker {
    const { env, user, resources, systemCalls, pidsLimit } = spec;
    const { SETT_OBJECTS_DIR, SETT_EXCHANGE_DIR, SETT_DISK_LIMIT } = env;
    const { SETT_SECRETS, SETT_SECRETS_DIR } = step === "seal" ? env : {};
    return {
      image: this.#options.image,
      entrypoint: ["/cub/cub", "--prepare", step],
      env: {
        LD_LIBRARY_PATH: "/cub",
        SETT_GIT_BINARY: "/cub/git",
        SETT_GIT_LIBRARY_PATH: "/cub",
        ...withoutUndefined({ SETT_OBJECTS_DIR, SETT_EXCHANGE_DIR, SETT_DISK_LIMIT }),
        ...withoutUndefined({ SETT_SECRETS, SETT_SECRETS_DIR }),
        ...order,
      },
      mounts,
      network: "none",
      capabilities: "none",
      isRootReadOnly: true,
      healthcheck: "none",
      restart: "no",
      ...withoutUndefined({ user, resources, systemCalls, pidsLimit }),
    };
  }
}

/** A step that reads commits needs these. */
function storeOf({ env, mounts }: ContainerSpec): Mount[] {
  const { SETT_OBJECTS_DIR: objects, SETT_EXCHANGE_DIR: exchange } = env;
  return mounts.filter(({ target }) => [objects, exchange, "/tmp"].includes(target));
}

const preparedFolder = "/git/prepared";

export function preparedMount({ volume }: PreparedVolume): Mount {
  return { kind: "volume", volume, target: preparedFolder, access: "ro" };
}

/** For a worker with a disk of its own, into which its cub copies what was prepared. */
export function withPrepared(worker: ContainerSpec, held: PreparedVolume): ContainerSpec {
  const workspace = { ...held.workspace, folder: `${preparedFolder}/${treeFolder}` };
  return {
    ...worker,
    env: { ...worker.env, SETT_PREPARED: JSON.stringify(workspace) },
    mounts: [...worker.mounts, preparedMount(held)],
  };
}

/** `agent`: for which it is made first, with whose log its output is kept. */
type Wanted = { base: PrepareBase; key: string; agent: AgentName };

class CommandFailed extends Error {
  readonly log: { container: string; lines: string[] };

  constructor(failure: MakerFailed, { container, agent }: { container: string; agent: AgentName }) {
    const reason = reasonIn(failure);
    const end = /[.!?…]$/.test(reason) ? "" : ".";
    super(`${reason}${end} \`sett logs ${agent}\` has its output.`);
    this.log = { container, lines: [...failure.lines] };
  }
}

/**
 * What was made with another image, command, environment, user, network or names of secrets is
 * another thing. A new value of a secret changes nothing.
 */
function keyOf({ spec, run, egress }: PreparedTemplate, files: string): string {
  const { image, user, env } = spec;
  const variables = Object.entries(env)
    .filter(([name]) => !/^SETT_(?!SECRETS$|COMMAND_ENVIRONMENT)/.test(name))
    .toSorted();
  const all = JSON.stringify([files, run, image, user ?? null, variables, egress.toSorted()]);
  return createHash("sha256").update(all).digest("hex").slice(0, keyLength);
}

function orderOf(
  { run, key, timeout_ms }: PreparedTemplate,
  base: PrepareBase,
): Record<string, string> {
  return inPieces("SETT_PREPARE", JSON.stringify({ ...base, run, key, timeout_ms }));
}

/** What a step has said at its end. */
function lastOf(lines: readonly string[]): unknown {
  return lines.map(parsed).findLast((line) => line !== undefined);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function failed(error: unknown): Preparation {
  const reason = error instanceof MakerFailed ? reasonIn(error) : messageOf(error);
  const log = error instanceof CommandFailed ? { log: error.log } : {};
  return { outcome: "failed", reason, ...log };
}

function reasonIn(failure: MakerFailed): string {
  const { reason } = Object(lastOf(failure.lines));
  return typeof reason === "string" ? reason : failure.message;
}
