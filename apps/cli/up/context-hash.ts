// A digest of everything from which an agent's image is built, so that an unchanged image is not built again.
import { createHash, type Hash } from "node:crypto";
import { lstat, readFile, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Devcontainer } from "../../../lib/config/devcontainer.ts";
import type { ImageSource } from "../../../lib/model/config.ts";
import { contextEntries } from "../../../lib/runtime/docker/build-context.ts";
import type { Surroundings } from "./devcontainer-layer.ts";

type Build = Extract<ImageSource, { kind: "build" }>;
type ImageId = (tag: string) => Promise<string | undefined>;

/**
 * Covers files, modes, links, arguments, and the base images, by `imageId`. Undefined when only a build can tell: a FROM with a variable,
 * or an image that the engine does not have. Files in `.dockerignore` count too: a change of them only causes a needless build.
 */
export async function contextHash({ context, dockerfile, args }: Build, imageId: ImageId): Promise<string | undefined> {
  const ids = await idsOf(baseImages(await readFile(dockerfile, "utf8")), imageId);
  if (ids === undefined) return undefined;
  const hash = createHash("sha256");
  hash.update(JSON.stringify({ ids, args: Object.entries(args).sort(), dockerfile: relative(context, dockerfile) }));
  await addFolder(hash, context, relative(context, dockerfile));
  return hash.digest("hex");
}

/** The same for a devcontainer: its folder, a build context outside of it, and the parts of its surroundings that get into the image. */
export async function devcontainerHash(
  { folder, text, base }: Devcontainer,
  { owner, host }: Surroundings,
  imageId: ImageId,
): Promise<string | undefined> {
  const images = base.kind === "image" ? [base.image] : baseImages(await readFile(base.dockerfile, "utf8").catch(() => ""));
  const ids = await idsOf(images, imageId);
  if (ids === undefined) return undefined;
  const variables = [...text.matchAll(/\$\{(?:localEnv|env):([^}:]*)/g)].map(([, name = ""]) => [name, host[name]]);
  const hash = createHash("sha256");
  hash.update(JSON.stringify({ ids, owner, variables, folder }));
  await addFolder(hash, folder, "");
  if (base.kind === "build" && relative(folder, base.context).startsWith("..")) await addFolder(hash, base.context, "");
  return hash.digest("hex");
}

async function idsOf(images: string[] | undefined, imageId: ImageId): Promise<string[] | undefined> {
  if (images === undefined) return undefined;
  const ids = await Promise.all(images.map(async (image) => (image === "scratch" ? image : await imageId(image))));
  return ids.includes(undefined) ? undefined : ids.flatMap((id) => id ?? []);
}

async function addFolder(hash: Hash, folder: string, dockerfile: string): Promise<void> {
  for (const entry of (await contextEntries(folder, dockerfile)).sort()) {
    const path = join(folder, entry);
    const stats = await lstat(path);
    const content = stats.isSymbolicLink() ? await readlink(path) : stats.isFile() ? await readFile(path) : "";
    hash.update(`\0${JSON.stringify([entry, stats.mode, content.length])}\0`);
    hash.update(content);
  }
}

/** The base images of all stages, without names of stages. */
function baseImages(dockerfile: string): string[] | undefined {
  const lines = dockerfile.replace(/\\\r?\n/g, " ").split(/\r?\n/);
  const froms = lines.flatMap((line) => {
    const [, image, stage] = /^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?\s*$/i.exec(line) ?? [];
    return image === undefined ? [] : [{ image, stage }];
  });
  const copied = lines.flatMap((line) => /^\s*(?:COPY|ADD)\b.*--from=(\S+)/i.exec(line)?.[1] ?? []);
  const stages = new Set(froms.map(({ stage }) => stage?.toLowerCase()));
  const images = [...froms.map(({ image }) => image), ...copied.filter((source) => !/^\d+$/.test(source))];
  if (froms.length === 0 || images.some((image) => image.includes("$"))) return undefined;
  return images.filter((image) => !stages.has(image.toLowerCase()));
}
