// Digests of everything from which an agent's image is built, so that an unchanged image is not
// built again.
import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Devcontainer } from "../../../../lib/config/devcontainer.ts";
import { kindOf } from "../../../../lib/config/kind-of.ts";
import { baseImagesOf, parseDockerfile } from "../../../../lib/dockerfile/dockerfile.ts";
import type { ImageSource } from "../../../../lib/model/config.ts";
import {
  type ContextEntry,
  contextEntries,
  isGone,
  realDockerfile,
  unreadable,
} from "../../../../lib/runtime/docker/build-context.ts";
import type { Surroundings } from "./devcontainer-layer.ts";

type Build = Extract<ImageSource, { kind: "build" }>;
type ImageId = (tag: string) => Promise<string | undefined>;

/**
 * `byContent` covers files, modes, links, arguments and base images, and says surely what has
 * changed. `byTimes` covers sizes and times in place of what files hold, so that none is read:
 * where it is the same, nothing has changed. It is undefined where a file was changed so lately
 * that another change could leave its time the same.
 */
export type Inputs = { byTimes: string | undefined; byContent(): Promise<string> };

/**
 * The base images count by `imageId`. Undefined when only a build can tell: a FROM with a variable,
 * or an image that the engine does not have. What `.dockerignore` excludes does not count.
 */
export async function contextInputs(
  { context, dockerfile, args }: Build,
  imageId: ImageId,
): Promise<Inputs | undefined> {
  const text = await readFile(dockerfile, "utf8");
  const ids = await idsOf(basesOf(text, args), imageId);
  if (ids === undefined) return undefined;
  const file = relative(context, dockerfile);
  const head = { ids, args: Object.entries(args).sort(), dockerfile: file };
  // A link is in the context by its target's name, and the target is not always there.
  const isLinked = (await realDockerfile(context, file)) !== file;
  return await inputsOf(isLinked ? { ...head, text } : head, [
    { folder: context, dockerfile: file },
  ]);
}

/**
 * The same for a devcontainer: its file, the folder that the file is in, a build context, and the
 * parts of its surroundings that get into the image.
 */
export async function devcontainerInputs(
  { folder, file, text, base, hasFeatures }: Devcontainer,
  { owner, host }: Surroundings,
  imageId: ImageId,
): Promise<Inputs | undefined> {
  const dockerfile =
    base.kind === "build" ? await readFile(base.dockerfile, "utf8").catch(() => "") : "";
  const ids = await idsOf(
    base.kind === "image" ? [base.image] : basesOf(dockerfile, undefined),
    imageId,
  );
  if (ids === undefined) return undefined;
  const variables = [...text.matchAll(/\$\{(?:localEnv|env):([^}:]*)/g)].map(([, name = ""]) => [
    name,
    host[name],
  ]);
  // Features of the folder's own are beside the file. Of the rest only the build context gets into
  // the image.
  const folders = hasFeatures || dirname(file) !== folder ? [dirname(file)] : [];
  // A context with a variable in its path is not known here.
  const isKnown = base.kind === "build" && (await kindOf(base.context)) === "folder";
  if (base.kind === "build") folders.push(isKnown ? base.context : folder);
  return await inputsOf(
    { ids, owner, variables, folder, text, dockerfile },
    folders.map((each) => ({ folder: each, dockerfile: undefined })),
  );
}

/** File systems and kernels keep times in steps, of up to two seconds. */
const settledMs = 2_000;

type Walked = { folder: string; entries: readonly ContextEntry[] };

async function inputsOf(
  head: object,
  folders: { folder: string; dockerfile: string | undefined }[],
): Promise<Inputs> {
  const readAt = Date.now();
  const walked = await Promise.all(
    folders.map(async ({ folder, dockerfile }) => ({
      folder,
      entries: await contextEntries(folder, dockerfile),
    })),
  );
  const times = createHash("sha256").update(JSON.stringify(head));
  let isSettled = true;
  for (const { path, stats, isHidden } of walked.flatMap(({ entries }) => entries)) {
    const { mode, size, ino, mtimeMs, ctimeMs } = stats;
    // A folder's own size and times change with what is ignored in it.
    const known = stats.isDirectory() ? [] : [size, ino, mtimeMs, ctimeMs];
    times.update(`\0${JSON.stringify([path, mode, isHidden, ...known])}`);
    if (!stats.isDirectory() && ctimeMs > readAt - settledMs) isSettled = false;
  }
  let content: Promise<string> | undefined;
  return {
    byTimes: isSettled ? times.digest("hex") : undefined,
    byContent: () => {
      content ??= digestOf(head, walked);
      return content;
    },
  };
}

function basesOf(dockerfile: string, args: Build["args"] | undefined): string[] | undefined {
  return baseImagesOf(parseDockerfile(dockerfile), args);
}

async function idsOf(
  images: string[] | undefined,
  imageId: ImageId,
): Promise<string[] | undefined> {
  if (images === undefined) return undefined;
  const ids = await Promise.all(
    images.map(async (image) => (image === "scratch" ? image : await imageId(image))),
  );
  return ids.includes(undefined) ? undefined : ids.flatMap((id) => id ?? []);
}

async function digestOf(head: object, folders: readonly Walked[]): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(head));
  for (const { folder, entries } of folders) {
    for (const { path, stats, isHidden } of entries) {
      const { length, content } = await contentOf(join(folder, path), stats);
      hash.update(`\0${JSON.stringify([path, stats.mode, length, isHidden])}\0`);
      for await (const piece of content) hash.update(piece);
    }
  }
  return hash.digest("hex");
}

type Content = {
  length: number;
  content: Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>;
};

/** A larger file is read in pieces, since it may be larger than the memory. */
const wholeBytes = 16 * 1024 * 1024;

async function contentOf(path: string, stats: Stats): Promise<Content> {
  if (stats.isFile() && stats.size > wholeBytes)
    return { length: stats.size, content: piecesOf(path) };
  try {
    const content = stats.isSymbolicLink()
      ? await readlink(path)
      : stats.isFile()
        ? await readFile(path)
        : "";
    return { length: content.length, content: [content] };
  } catch (error) {
    // The image is built without it, and the next `sett up` sees another folder.
    if (isGone(error)) return { length: 0, content: [] };
    throw unreadable(path, error);
  }
}

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}
