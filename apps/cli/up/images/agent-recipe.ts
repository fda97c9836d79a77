// How an agent's image is built, and from which inputs.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownPackages } from "../../../../lib/config/own-packages.ts";
import type { ImageSource } from "../../../../lib/model/config.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { AgentName } from "../../../../lib/model/ids.ts";
import type { Owner } from "../../../../lib/runtime/container-spec.ts";
import type { EngineRuntime, ImageInfo, Progress } from "../../../../lib/runtime/port.ts";
import { writeFiles } from "../../program/write-files.ts";
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
  if (source.kind === "package")
    return await packageRecipe({ name, source }, tag, { runtime, owner, env });
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

type OfPackage = { name: AgentName; source: Extract<ImageSource, { kind: "package" }> };

/** The files are in this program, and in a folder as long as the Engine reads them. */
async function packageRecipe(
  { name, source }: OfPackage,
  tag: string,
  place: Place,
): Promise<Recipe> {
  const files = ownPackages.get(source.name) ?? [];
  const inFolder = async <T>(use: (recipe: Recipe) => Promise<T>): Promise<T> => {
    const folder = await mkdtemp(join(tmpdir(), "sett-package-"));
    try {
      writeFiles(folder, files);
      const dockerfile = join(folder, "Dockerfile");
      const build = { kind: "build", context: folder, dockerfile, args: source.args } as const;
      return await use(await recipeOf({ name, source: build }, tag, place));
    } finally {
      await rm(folder, { recursive: true });
    }
  };
  // The files have other times in each folder.
  const content = await inFolder(async ({ inputs }) => await inputs?.byContent());
  return {
    inputs:
      content === undefined ? undefined : { byTimes: undefined, byContent: async () => content },
    build: (labels, progress) =>
      inFolder(({ build }) => build(labels, progress)).catch((error: unknown) => {
        throw explained(error, source.name);
      }),
  };
}

/** A version that a registry has no more is no fault of the person's. */
function explained(error: unknown, name: string): unknown {
  if (!(error instanceof SettError) || error.code !== "build-failed") return error;
  const isGone = /ETARGET|E404|No matching (?:version|distribution)|404 Not Found/.test(
    error.message,
  );
  const hint = isGone
    ? `Its registry does not have this version: use a newer sett, or write another version into a copy: sett add ${name} --copy`
    : `The package is Sett's own, and is built from a registry. Behind a proxy, or with a registry or certificate of your own, it needs \`build: { args: … }\`: docs/guides/ready-agents.md`;
  return new SettError("build-failed", error.message, { hint, cause: error });
}
