// How an agent's image is built, and from which inputs.
import type { ImageSource } from "../../../../lib/model/config.ts";
import type { AgentName } from "../../../../lib/model/ids.ts";
import type { Owner } from "../../../../lib/runtime/container-spec.ts";
import type { EngineRuntime, ImageInfo, Progress } from "../../../../lib/runtime/port.ts";
import { buildDevcontainer, readDevcontainer } from "./build-devcontainer.ts";
import { contextInputs, devcontainerInputs, type Inputs } from "./context-hash.ts";

/**
 * `inputs`: digests of everything that goes into the image; undefined when only a build can tell.
 */
export type Recipe = {
  inputs: Inputs | undefined;
  build(labels: Record<string, string>, progress: Progress): Promise<ImageInfo>;
};

/** The machine on which the image is built. */
export type Place = {
  runtime: Pick<EngineRuntime, "engine">;
  /** The user as which the agent runs. */
  owner: Owner;
  env: Readonly<Record<string, string | undefined>>;
};

export async function recipeOf(
  { name, source }: { name: AgentName; source: Exclude<ImageSource, { kind: "image" }> },
  tag: string,
  { runtime, owner, env }: Place,
): Promise<Recipe> {
  const imageId = async (base: string) => (await runtime.engine.images.find(base))?.id;
  if (source.kind === "build") {
    const { context, dockerfile, args } = source;
    const spec = {
      agent: name,
      contextDir: context,
      dockerfile: dockerfile.slice(context.length).replace(/^\/+/, ""),
      args,
      tag,
    };
    return {
      inputs: await contextInputs(source, imageId),
      build: (labels, progress) => runtime.engine.images.build({ ...spec, labels }, progress),
    };
  }
  const devcontainer = await readDevcontainer(source.folder);
  const surroundings = { folder: source.folder, owner, host: env };
  return {
    inputs: await devcontainerInputs(devcontainer, surroundings, imageId),
    build: (labels, progress) =>
      buildDevcontainer({ runtime, devcontainer, tag, labels, surroundings }, progress),
  };
}
