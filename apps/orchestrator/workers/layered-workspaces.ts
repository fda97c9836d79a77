// The disk of a worker, over a checkout that workers share: what it writes is its own, and goes
// with it. Where the Engine's machine cannot mount such a volume, workers go on without.
import { randomBytes } from "node:crypto";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { AgentName, CommitHash } from "../../../lib/model/ids.ts";
import { treeFolder } from "../../../lib/model/layer.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import { labelsFor } from "../../../lib/runtime/labels.ts";
import { layeredWorkspaceName, layeredWorkspaceOf } from "../../../lib/runtime/names.ts";
import { LayerVolumes } from "./layer-volumes.ts";
import { Layers, type LayersOptions } from "./layers.ts";
import { type PreparedVolume, preparedMount } from "./prepared-layers.ts";

const workspaceFolder = "/workspace";
/** Read-only, with the record of its files beside them. */
const layerFolder = "/git/layer";
const upperFolder = "/git/layer-upper";
/** Names, in a worker's container, the disk that goes with it. */
const workspaceVariable = "SETT_WORKER_WORKSPACE";

/** After an Engine has refused one, it is asked again for one after this time. */
const restMs = 10 * 60_000;

type Upper = { workspace: string; upper: string };
type Over = { layer: string; agent: AgentName; own: Upper; prepared: PreparedVolume | undefined };

export class LayeredWorkspaces {
  readonly #options: LayersOptions;
  readonly #layers: Layers;
  /** Made while the worker before it was at work. */
  readonly #spares = new Map<AgentName, Promise<Upper | undefined>>();
  #restsUntil = 0;
  #mayRemove = false;

  constructor(options: LayersOptions, volumes = new LayerVolumes(options)) {
    this.#options = options;
    this.#layers = new Layers(options, volumes);
  }

  /** Resolves when a worker at this commit can be started without waiting. */
  async prepare(spec: ContainerSpec, commit: CommitHash): Promise<void> {
    if (this.#serves(spec)) await this.#layers.ready(spec, commit);
  }

  /**
   * False where it was not started because there is no layer, or the Engine refuses volumes over
   * another: then it can be started with a disk of its own. `prepared`: is seen below the layer.
   * Throws as `start` of the runtime does.
   */
  async start(
    spec: ContainerSpec,
    agent: AgentName,
    commit: CommitHash,
    prepared?: PreparedVolume,
  ): Promise<boolean> {
    if (!this.#serves(spec)) return false;
    return await this.#layers.holding(spec, commit, async (layer) => {
      if (layer === undefined) return false;
      let own: Upper | undefined;
      try {
        own = await this.#takeUpper(spec, agent);
        await this.#startOver(spec, { layer, agent, own, prepared });
        this.#makeSpare(spec, agent);
        return true;
      } catch (error) {
        if (own !== undefined) void this.#discard(own);
        if (error instanceof SettError && passed.has(error.code)) throw error;
        this.#restsUntil = performance.now() + restMs;
        this.#options.log.warn("The Engine refuses a workspace over a layer; going on without", {
          agent,
          reason: messageOf(error),
        });
        return false;
      }
    });
  }

  /** Removes the disk of a worker that is gone; the environment is that of its container. */
  release(environment: Readonly<Record<string, string>>): void {
    const own = layeredWorkspaceOf(environment[workspaceVariable] ?? "");
    if (own !== undefined) void this.#discard(own);
  }

  #serves({ env, mounts }: ContainerSpec): boolean {
    const targets = mounts.map(({ target }) => target);
    return (
      performance.now() >= this.#restsUntil &&
      env.SETT_OBJECTS_DIR !== undefined &&
      targets.includes(env.SETT_OBJECTS_DIR) &&
      targets.includes(workspaceFolder)
    );
  }

  async #startOver(spec: ContainerSpec, { layer, agent, own, prepared }: Over): Promise<void> {
    const { runtime } = this.#options;
    const labels = labelsFor(spec.labels, { component: "workspace", agent });
    const { workspace, upper } = own;
    await runtime.layers.lay(
      { name: workspace, labels },
      { lowers: [layer, ...(prepared ? [prepared.volume] : [])], folder: treeFolder, upper },
    );
    const mounts = spec.mounts.map((mount) =>
      mount.kind === "volume" && mount.target === workspaceFolder
        ? { ...mount, volume: workspace }
        : mount,
    );
    await runtime.start({
      ...spec,
      env: {
        ...spec.env,
        SETT_LAYER_DIR: layerFolder,
        [workspaceVariable]: workspace,
        ...(prepared && { SETT_PREPARED: JSON.stringify(prepared.workspace) }),
      },
      mounts: [
        ...mounts,
        { kind: "volume", volume: layer, target: layerFolder, access: "ro" },
        // The Engine removes no volume that a container has, also where a person tells it to.
        { kind: "volume", volume: upper, target: upperFolder, access: "ro" },
        ...(prepared === undefined ? [] : [preparedMount(prepared)]),
      ],
    });
  }

  async #takeUpper(spec: ContainerSpec, agent: AgentName): Promise<Upper> {
    const spare = this.#spares.get(agent);
    this.#spares.delete(agent);
    return (await spare) ?? (await this.#makeUpper(spec, agent));
  }

  /** Where it fails, the worker that needs one makes it, and the log says why it cannot. */
  #makeSpare(spec: ContainerSpec, agent: AgentName): void {
    if (this.#spares.has(agent)) return;
    const spare = this.#makeUpper(spec, agent).catch(() => undefined);
    this.#spares.set(agent, spare);
  }

  async #makeUpper(spec: ContainerSpec, agent: AgentName): Promise<Upper> {
    const { runtime, image } = this.#options;
    const unique = randomBytes(6).toString("hex");
    const own = layeredWorkspaceName(spec.labels.instance, agent, unique);
    // A proxy may let nothing be removed: then the disks of all workers would stay.
    if (!this.#mayRemove) await runtime.layers.remove(own.workspace);
    this.#mayRemove = true;
    const labels = labelsFor(spec.labels, { component: "workspace", agent });
    const owner = spec.user ?? { uid: 0, gid: 0 };
    await runtime.layers.makeUpper({ name: own.upper, labels, owner, image });
    return own;
  }

  /** In this order: the Engine does not know that one uses the other. Never rejects. */
  async #discard({ workspace, upper }: Upper): Promise<void> {
    const { runtime, log } = this.#options;
    try {
      await runtime.layers.remove(workspace);
      await runtime.layers.remove(upper);
    } catch (error) {
      // It goes when the next starter begins, or with the instance.
      log.warn("The workspace of a worker stays", { workspace, reason: messageOf(error) });
    }
  }
}

/** These say nothing about layers. */
const passed: ReadonlySet<string> = new Set(["instance-taken", "image-not-found"]);
