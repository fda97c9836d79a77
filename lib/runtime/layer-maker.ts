// Makes a layer: a volume with the checkout of a commit, which a container of the cub's own image
// fills (docs/internals/layers.md).
import { SettError } from "../model/errors.ts";
import type { CommitHash } from "../model/ids.ts";
import type { FileCount } from "../model/preparing.ts";
import { withoutUndefined } from "../model/without-undefined.ts";
import type { ContainerSpec } from "./container-spec.ts";
import { labelsFor } from "./labels.ts";
import type { Workers } from "./port.ts";

const makerFolder = "/layer";
const makerPids = 128;
const maxLines = 1_000;
/** Whatever its program writes to the log: the cub's own lines are far shorter. */
const [maxLineLength, maxLength] = [16 * 1024, 64 * 1024];

/**
 * `like`: a container of an agent that will begin over it. `image`: the cub's own, of which makers
 * are, whatever the images of agents have. `maker`: the name of the container.
 */
export type LayerSpec = {
  like: ContainerSpec;
  image: string;
  commit: CommitHash;
  volume: string;
  maker: string;
};

/**
 * Leaves nothing behind where it fails: throws git-failed with what the container has written, as
 * the runtime does, and with the signal's reason.
 */
export async function makeLayer(
  runtime: Workers & Required<Pick<Workers, "layers">>,
  spec: LayerSpec,
  signal: AbortSignal,
  onProgress: (count: FileCount) => void = () => undefined,
): Promise<void> {
  const { like, image, volume, maker } = spec;
  const labels = labelsFor(like.labels, { component: "layer" });
  const { user: owner } = like;
  await runtime.makeVolume({ name: volume, labels, image, ...withoutUndefined({ owner }) });
  try {
    await runMaker(runtime, { ...makerOf(spec), name: maker, labels }, signal, onProgress);
  } catch (error) {
    await runtime.layers.remove(volume).catch(() => undefined);
    throw error;
  }
}

/** `lines`: what the container has written last. */
export class MakerFailed extends SettError {
  readonly lines: readonly string[];

  constructor(exitCode: number, lines: readonly string[]) {
    super("git-failed", `It ended with ${exitCode}: ${lines.slice(-10).join(" ")}`);
    this.lines = lines;
  }
}

/**
 * Runs a container to its end, and removes it. Resolves with the last lines that it has written,
 * without those that `onProgress` gets, where it is there.
 * Throws MakerFailed where it has not ended well.
 */
export async function runMaker(
  runtime: Workers,
  spec: ContainerSpec,
  signal: AbortSignal,
  onProgress?: (count: FileCount) => void,
): Promise<string[]> {
  await runtime.start(spec);
  const ended = new AbortController();
  const followed = { follow: true, signal: ended.signal };
  const following = onProgress && follow(runtime.logs(spec.name, followed), onProgress);
  try {
    const exitCode = await runtime.wait(spec.name, signal);
    const all = await lastOf(runtime.logs(spec.name, { tail: maxLines }));
    const lines = onProgress ? all.filter((line) => countOf(line) === undefined) : all;
    if (exitCode === 0) return lines;
    throw new MakerFailed(exitCode, lines);
  } finally {
    ended.abort();
    await following;
    await runtime.remove(spec.name);
  }
}

async function follow(
  written: AsyncIterable<{ line: string }>,
  onProgress: (count: FileCount) => void,
): Promise<void> {
  try {
    for await (const { line } of written) {
      const count = countOf(line);
      if (count !== undefined) onProgress(count);
    }
  } catch {
    // A connection that drops takes nothing but the news of it.
  }
}

/** Undefined for a line that says something else than how far a checkout is. */
function countOf(line: string): FileCount | undefined {
  const [, files, of] = /^\{"files":(\d{1,12}),"of":(\d{1,12})\}$/.exec(line) ?? [];
  if (files === undefined || of === undefined) return undefined;
  return { files: Number(files), of: Number(of) };
}

/** The last of them, no more than is kept for long. */
async function lastOf(written: AsyncIterable<{ line: string }>): Promise<string[]> {
  const lines: string[] = [];
  let length = 0;
  for await (const { line } of written) {
    const short = line.slice(0, maxLineLength);
    lines.push(short);
    length += short.length;
    while (length > maxLength) length -= lines.shift()?.length ?? 0;
  }
  return lines;
}

/** It sees the store alone, has no network, and is confined and limited as the agent is. */
function makerOf({
  like,
  image,
  commit,
  volume,
}: LayerSpec): Omit<ContainerSpec, "name" | "labels"> {
  const { user, resources, systemCalls, env } = like;
  const store = like.mounts.filter(({ target }) => target === env.SETT_OBJECTS_DIR);
  return {
    image,
    entrypoint: ["/cub/cub", "--make-layer", commit],
    env: {
      LD_LIBRARY_PATH: "/cub",
      SETT_GIT_BINARY: "/cub/git",
      SETT_GIT_LIBRARY_PATH: "/cub",
      SETT_OBJECTS_DIR: env.SETT_OBJECTS_DIR ?? "",
      SETT_LAYER_DIR: makerFolder,
      ...withoutUndefined({
        SETT_DISK_LIMIT: env.SETT_DISK_LIMIT,
        SETT_WORKSPACE_PATHS: env.SETT_WORKSPACE_PATHS,
      }),
    },
    mounts: [
      ...store,
      { kind: "volume", volume, target: makerFolder, access: "rw" },
      { kind: "tmpfs", target: "/tmp", sizeBytes: 16 * 1024 ** 2 },
    ],
    network: "none",
    capabilities: "none",
    isRootReadOnly: true,
    pidsLimit: makerPids,
    healthcheck: "none",
    restart: "no",
    ...withoutUndefined({ user, resources, systemCalls }),
  };
}
