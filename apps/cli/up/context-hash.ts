// A digest of everything from which an agent's image is built, so that an unchanged image is not built again.
import { createHash, type Hash } from "node:crypto";
import type { Stats } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Devcontainer } from "../../../lib/config/devcontainer.ts";
import { kindOf } from "../../../lib/config/kind-of.ts";
import type { ImageSource } from "../../../lib/model/config.ts";
import { contextEntries, unreadable } from "../../../lib/runtime/docker/build-context.ts";
import { baseImagesOf, parseDockerfile } from "../../../lib/runtime/docker/dockerfile.ts";
import type { Surroundings } from "./devcontainer-layer.ts";

type Build = Extract<ImageSource, { kind: "build" }>;
type ImageId = (tag: string) => Promise<string | undefined>;

/**
 * Covers files, modes, links, arguments, and the base images, by `imageId`. Undefined when only a build can tell: a FROM with a variable,
 * or an image that the engine does not have. What `.dockerignore` excludes does not count.
 */
export async function contextHash({ context, dockerfile, args }: Build, imageId: ImageId): Promise<string | undefined> {
  const ids = await idsOf(basesOf(await readFile(dockerfile, "utf8")), imageId);
  if (ids === undefined) return undefined;
  const hash = createHash("sha256");
  hash.update(JSON.stringify({ ids, args: Object.entries(args).sort(), dockerfile: relative(context, dockerfile) }));
  await addFolder(hash, context, relative(context, dockerfile));
  return hash.digest("hex");
}

/** The same for a devcontainer: its file, the folder that the file is in, a build context, and the parts of its surroundings that get into the image. */
export async function devcontainerHash(
  { folder, file, text, base, hasFeatures }: Devcontainer,
  { owner, host }: Surroundings,
  imageId: ImageId,
): Promise<string | undefined> {
  const dockerfile = base.kind === "build" ? await readFile(base.dockerfile, "utf8").catch(() => "") : "";
  const ids = await idsOf(base.kind === "image" ? [base.image] : basesOf(dockerfile), imageId);
  if (ids === undefined) return undefined;
  const variables = [...text.matchAll(/\$\{(?:localEnv|env):([^}:]*)/g)].map(([, name = ""]) => [name, host[name]]);
  const hash = createHash("sha256");
  hash.update(JSON.stringify({ ids, owner, variables, folder, text, dockerfile }));
  // Features of the folder's own are beside the file. Of the rest only the build context gets into the image.
  if (hasFeatures || dirname(file) !== folder) await addFolder(hash, dirname(file), undefined);
  // A context with a variable in its path is not known here.
  const isKnown = base.kind === "build" && (await kindOf(base.context)) === "folder";
  if (base.kind === "build") await addFolder(hash, isKnown ? base.context : folder, undefined);
  return hash.digest("hex");
}

function basesOf(dockerfile: string): string[] | undefined {
  return baseImagesOf(parseDockerfile(dockerfile));
}

async function idsOf(images: string[] | undefined, imageId: ImageId): Promise<string[] | undefined> {
  if (images === undefined) return undefined;
  const ids = await Promise.all(images.map(async (image) => (image === "scratch" ? image : await imageId(image))));
  return ids.includes(undefined) ? undefined : ids.flatMap((id) => id ?? []);
}

async function addFolder(hash: Hash, folder: string, dockerfile: string | undefined): Promise<void> {
  for (const { path, stats, isHidden } of await contextEntries(folder, dockerfile)) {
    const content = await contentOf(join(folder, path), stats);
    hash.update(`\0${JSON.stringify([path, stats.mode, content.length, isHidden])}\0`);
    hash.update(content);
  }
}

async function contentOf(path: string, stats: Stats): Promise<string | Uint8Array> {
  try {
    return stats.isSymbolicLink() ? await readlink(path) : stats.isFile() ? await readFile(path) : "";
  } catch (error) {
    throw unreadable(path, error);
  }
}
