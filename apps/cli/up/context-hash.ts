// Stands for everything that an agent's image is built from, so that an unchanged one is not built again.
import { createHash } from "node:crypto";
import { lstat, readFile, readlink } from "node:fs/promises";
import { join, relative } from "node:path";
import type { ImageSource } from "../../../lib/model/config.ts";
import { contextEntries } from "../../../lib/runtime/docker/build-context.ts";

type Build = Extract<ImageSource, { kind: "build" }>;

/**
 * Files, modes, links, arguments, and the images that the build starts from, by `imageId`. Undefined when that cannot be told without
 * building: a FROM with a variable, or an image that the engine does not have. Files that `.dockerignore` names count too, which
 * costs no more than a build in vain.
 */
export async function contextHash(
  { context, dockerfile, args }: Build,
  imageId: (tag: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const bases = baseImages(await readFile(dockerfile, "utf8"));
  if (bases === undefined) return undefined;
  const ids = await Promise.all(bases.map((base) => (base === "scratch" ? base : imageId(base))));
  if (ids.includes(undefined)) return undefined;
  const hash = createHash("sha256");
  hash.update(JSON.stringify({ ids, args: Object.entries(args).sort(), dockerfile: relative(context, dockerfile) }));
  for (const entry of (await contextEntries(context, relative(context, dockerfile))).sort()) {
    const path = join(context, entry);
    const stats = await lstat(path);
    const content = stats.isSymbolicLink() ? await readlink(path) : stats.isFile() ? await readFile(path) : "";
    hash.update(`\0${JSON.stringify([entry, stats.mode, content.length])}\0`);
    hash.update(content);
  }
  return hash.digest("hex");
}

/** What the stages start from, without the stages themselves. */
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
