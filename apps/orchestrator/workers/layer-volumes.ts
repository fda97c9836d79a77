// The volumes that workers share, whatever is in them: each is made by containers that nothing else
// sees, not used before it is whole, and removed when it was not used for the longest time.
import { randomBytes } from "node:crypto";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import { labelsFor } from "../../../lib/runtime/labels.ts";
import { runMaker } from "../../../lib/runtime/layer-maker.ts";
import {
  firstLayerMakerName,
  firstLayerName,
  layeredWorkspaceOf,
  layerMakerName,
  layerVolumeName,
} from "../../../lib/runtime/names.ts";
import type { LayeredVolumes, Workers } from "../../../lib/runtime/port.ts";

/** A container of a maker; its name and labels are given to it. */
export type Maker = Omit<ContainerSpec, "name" | "labels">;

/**
 * `run`: resolves with what the container has written, at most so many lines, when it has ended
 * well. Throws MakerFailed. Containers of one volume run one after the other.
 */
type NewVolume = {
  volume: string;
  container: string;
  run: (maker: Maker, withinMs: number) => Promise<string[]>;
};

/** `users`: workers that are just being started with it. */
export type Shared = { made?: string; users: number };

export class LayerVolumes {
  readonly #runtime: Workers & { layers: LayeredVolumes };
  readonly #image: string;
  #swept: Promise<void> | undefined;

  /** `image`: any, of which nothing runs. */
  constructor({
    runtime,
    image,
  }: { runtime: Workers & { layers: LayeredVolumes }; image: string }) {
    this.#runtime = runtime;
    this.#image = image;
  }

  /** `like`: a worker's specification. `key`: a hash. Throws what `fill` throws. */
  async make<Result>(
    like: ContainerSpec,
    key: string,
    fill: (made: NewVolume) => Promise<Result>,
  ): Promise<{ volume: string; result: Result }> {
    const { instance } = like.labels;
    await this.sweepOnce(instance);
    const unique = randomBytes(4).toString("hex");
    const volume = layerVolumeName(instance, key, unique);
    const container = layerMakerName(instance, key, unique);
    const labels = labelsFor(like.labels, { component: "layer" });
    const owner = withoutUndefined({ owner: like.user });
    await this.#runtime.makeVolume({ name: volume, labels, image: this.#image, ...owner });
    const run = (maker: Maker, withinMs: number) =>
      this.#run({ ...maker, name: container, labels }, withinMs);
    try {
      return { volume, result: await fill({ volume, container, run }) };
    } catch (error) {
      await this.remove(volume);
      throw error;
    }
  }

  /** As `run` of a new volume, for a container that needs no volume. */
  async ask(like: ContainerSpec, key: string, maker: Maker, withinMs: number): Promise<string[]> {
    await this.sweepOnce(like.labels.instance);
    const name = layerMakerName(like.labels.instance, key, randomBytes(4).toString("hex"));
    const labels = labelsFor(like.labels, { component: "layer" });
    return await this.#run({ ...maker, name, labels }, withinMs);
  }

  /** Makes room for one more of a kind. Those of workers that run stay, and go another time. */
  async evict<Key, Each extends Shared>(
    all: Map<Key, Each>,
    most: number,
    isOfKind: (each: Each) => boolean = () => true,
  ): Promise<void> {
    const ofKind = () => [...all].filter(([, each]) => isOfKind(each));
    for (const [key, each] of ofKind()) {
      if (ofKind().length <= most) return;
      const { made, users } = each;
      if (made === undefined || users > 0) continue;
      // A worker that comes meanwhile gets a new one.
      all.delete(key);
      const isGone = await this.remove(made);
      if (!isGone && !all.has(key)) all.set(key, each);
    }
  }

  /** False where it stays: most often because a container uses it. */
  async remove(volume: string): Promise<boolean> {
    return await this.#runtime.layers.remove(volume).then(
      () => true,
      () => false,
    );
  }

  async #run(spec: ContainerSpec, withinMs: number): Promise<string[]> {
    return await runMaker(this.#runtime, spec, AbortSignal.timeout(withinMs));
  }

  /** Nothing that an earlier process has left is used. */
  async sweepOnce(instance: InstanceName): Promise<void> {
    this.#swept ??= this.#sweep(instance);
    await this.#swept;
  }

  /** Removes what a starter before this one has left, but what running workers use. */
  async #sweep(instance: InstanceName): Promise<void> {
    const { containers, volumes } = await this.#runtime.parts(instance);
    // That of the agents is made, and removed, by `sett up`.
    const ofAgents = new Set([firstLayerName(instance), firstLayerMakerName(instance)]);
    for (const { name, labels } of containers)
      if (labels.component === "layer" && !ofAgents.has(name)) await this.#runtime.remove(name);
    for (const { name, labels } of volumes)
      if (labels.component === "layer" && !ofAgents.has(name)) await this.remove(name);
    const workspaces = volumes.flatMap(({ name, labels }) =>
      labels.component === "workspace" ? (layeredWorkspaceOf(name) ?? []) : [],
    );
    // The Engine does not know that one uses the other.
    for (const { workspace, upper } of workspaces)
      if (await this.remove(workspace)) await this.remove(upper);
  }
}
