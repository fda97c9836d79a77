// The checkouts that workers share: each is made once, by a container of its own, and lasts as long
// as workers use it (docs/internals/layers.md).
//
// The list of them is in memory alone: only one that this process has seen finished is ever used,
// and those that an earlier process has left are removed.
import { randomBytes } from "node:crypto";
import { RecentMap } from "../../../lib/async/recent-map.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import { WorkspacePaths } from "../../../lib/model/workspace-path.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import { makeLayer } from "../../../lib/runtime/layer-maker.ts";
import { maxLayers } from "../../../lib/runtime/layered-volumes.ts";
import { layerMakerName, layerVolumeName } from "../../../lib/runtime/names.ts";
import type { LayeredVolumes, Workers } from "../../../lib/runtime/port.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { LayerVolumes } from "./layer-volumes.ts";

/** `image`: the cub's own, of which makers are, whatever the images of agents have. */
export type LayersOptions = {
  runtime: Workers & { layers: LayeredVolumes };
  image: string;
  log: JsonLog;
  limits?: { maxLayers: number; makingMs: number; retryMs: number };
};

/**
 * A hundred thousand files take half a minute on a busy machine. A commit of which none could be
 * made is tried again after `retryMs`.
 */
const usualLimits = { maxLayers, makingMs: 30 * 60_000, retryMs: 10 * 60_000 };

/**
 * `part`: the files of the commit that it has. `volume`: undefined where it could not be made;
 * `made`: once it was. `users`: workers that are just being started.
 */
type Layer = {
  part: string;
  volume: Promise<string | undefined>;
  made?: string;
  failedAt?: number;
  users: number;
};

const maxKnownCommits = 1_000;

export class Layers {
  readonly #options: LayersOptions;
  readonly #limits: { maxLayers: number; makingMs: number; retryMs: number };
  /** By `keyOf`, the one that was used last at the end. */
  readonly #layers = new Map<string, Layer>();
  /** Workers were started at them, or are just being started. By `keyOf`. */
  readonly #begunWith = new RecentMap<string, true>(maxKnownCommits);
  readonly #volumes: LayerVolumes;

  constructor(options: LayersOptions, volumes: LayerVolumes) {
    this.#options = options;
    this.#volumes = volumes;
    this.#limits = options.limits ?? usualLimits;
  }

  /**
   * Resolves once the layer of the commit is there, or cannot be made: then the reason is in the
   * log. All that ask meanwhile wait for one making. `like`: a worker's specification.
   */
  async ready(like: ContainerSpec, commit: CommitHash): Promise<void> {
    await this.#layerOf(like, commit).volume;
  }

  /**
   * The layer does not go while `use` runs. Its volume is undefined where there is none. What
   * `use` starts with it keeps it by itself: the Engine removes no volume of a container.
   */
  async holding<Result>(
    like: ContainerSpec,
    commit: CommitHash,
    use: (volume: string | undefined) => Promise<Result>,
  ): Promise<Result> {
    const layer = this.#layerOf(like, commit);
    this.#begunWith.set(keyOf(like, commit), true);
    layer.users++;
    try {
      return await use(await layer.volume);
    } finally {
      layer.users--;
    }
  }

  /**
   * The layer of the commit. Until it is made, that of another commit, with the same part of its
   * files, which was used last: its cub writes what differs, and most commits are begun with once.
   * The second worker at a commit has its layer made, and no worker waits for that.
   */
  #layerOf(like: ContainerSpec, commit: CommitHash): Layer {
    const key = keyOf(like, commit);
    const own = this.#ownLayer(key);
    const near = [...this.#layers].findLast(
      ([, { made, part }]) => made !== undefined && part === partOf(like),
    );
    if (own?.made !== undefined || near === undefined) {
      const layer = own ?? this.#begin(like, commit);
      this.#use(key, layer);
      return layer;
    }
    if (own === undefined && this.#begunWith.get(key) === true)
      this.#use(key, this.#begin(like, commit));
    this.#use(...near);
    return near[1];
  }

  /** Undefined also where it could not be made some time ago, and is to be tried again. */
  #ownLayer(key: string): Layer | undefined {
    const found = this.#layers.get(key);
    const isToTry =
      found?.failedAt !== undefined && performance.now() - found.failedAt > this.#limits.retryMs;
    return isToTry ? undefined : found;
  }

  /** The one that was used last is at the end. */
  #use(key: string, layer: Layer): void {
    this.#layers.delete(key);
    this.#layers.set(key, layer);
  }

  #begin(like: ContainerSpec, commit: CommitHash): Layer {
    const layer: Layer = { part: partOf(like), users: 0, volume: Promise.resolve(undefined) };
    layer.volume = this.#make(like, commit).then(
      (volume) => {
        layer.made = volume;
        return volume;
      },
      (error: unknown) => {
        layer.failedAt = performance.now();
        const about = { commit, reason: messageOf(error) };
        this.#options.log.warn("No layer of the commit; each worker checks it out itself", about);
        return undefined;
      },
    );
    return layer;
  }

  async #make(like: ContainerSpec, commit: CommitHash): Promise<string> {
    const { runtime, image, log } = this.#options;
    const { instance } = like.labels;
    await this.#volumes.sweepOnce(instance);
    const isOfPart = ({ part }: Layer) => part === partOf(like);
    await this.#volumes.evict(this.#layers, this.#limits.maxLayers, isOfPart);
    const startedAt = performance.now();
    const unique = randomBytes(4).toString("hex");
    const volume = layerVolumeName(instance, commit, unique);
    const maker = layerMakerName(instance, commit, unique);
    const signal = AbortSignal.timeout(this.#limits.makingMs);
    await makeLayer(runtime, { like, image, commit, volume, maker }, signal);
    const ms = Math.round(performance.now() - startedAt);
    log.info("Made a layer", { commit, volume, duration_ms: ms });
    return volume;
  }
}

/** Agents with the same `workspace.paths` share a layer, in whatever order these are. */
function partOf({ env }: ContainerSpec): string {
  const { SETT_WORKSPACE_PATHS: paths } = env;
  return paths === undefined
    ? ""
    : JSON.stringify(WorkspacePaths.parse(JSON.parse(paths)).toSorted());
}

function keyOf(like: ContainerSpec, commit: CommitHash): string {
  return `${commit} ${partOf(like)}`;
}
