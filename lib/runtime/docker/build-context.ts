// Which files of a folder are sent to the Engine for a build: those that `docker build` sends.
import { lstatSync, type Stats } from "node:fs";
import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { clauseOf, SettError } from "../../model/errors.ts";
import { type IgnorePatterns, parseIgnoreFile, type Verdict } from "./ignore-patterns.ts";

/**
 * A file, a link or a folder; `path` is relative to the context. `isHidden`: the builder needs it,
 * but no step sees it.
 */
export type ContextEntry = { path: string; stats: Stats; isHidden: boolean };

/**
 * Ordered by path, a folder before what is in it. A folder that is ignored is not opened unless an
 * exception may keep something in it: it can be huge, or another user's. `dockerfile` is relative
 * to the context; undefined for a folder without one.
 *
 * The Dockerfile and `.dockerignore` are always there. Where they are ignored, they are hidden.
 */
export async function contextEntries(
  contextDir: string,
  dockerfile: string | undefined,
): Promise<ContextEntry[]> {
  const patterns = await readPatterns(contextDir, dockerfile);
  const entries = new Map<string, ContextEntry>();
  await walk({ contextDir, patterns, entries }, "", undefined);
  for (const path of [dockerfile, ".dockerignore"]) {
    if (path === undefined || entries.has(path)) continue;
    const stats = await lstat(join(contextDir, path)).catch(() => undefined);
    if (stats !== undefined) entries.set(path, { path, stats, isHidden: true });
  }
  return [...entries.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** A Dockerfile that has an own file with patterns, named after it, has only those. */
async function readPatterns(
  contextDir: string,
  dockerfile: string | undefined,
): Promise<IgnorePatterns> {
  const own = dockerfile === undefined ? undefined : `${dockerfile}.dockerignore`;
  for (const name of [own, ".dockerignore"]) {
    if (name === undefined) continue;
    const path = join(contextDir, name);
    const text = await readFile(path, "utf8").catch((cause) => {
      if (cause.code === "ENOENT") return undefined;
      throw unreadable(path, cause);
    });
    if (text === undefined) continue;
    try {
      return parseIgnoreFile(text);
    } catch (cause) {
      throw new SettError("build-failed", `The file ${path} cannot be used: ${clauseOf(cause)}.`, {
        hint: "Correct the line: a [ needs its ], a \\ needs a character after it, and a ! a pattern.",
        cause,
      });
    }
  }
  return parseIgnoreFile("");
}

type Walk = { contextDir: string; patterns: IgnorePatterns; entries: Map<string, ContextEntry> };

/** Returns whether it has added anything. */
async function walk(
  { contextDir, patterns, entries }: Walk,
  folder: string,
  above: Verdict | undefined,
): Promise<boolean> {
  const children = await readdir(join(contextDir, folder), { withFileTypes: true }).catch(
    (cause) => {
      if (folder !== "" && isGone(cause)) return [];
      throw unreadable(join(contextDir, folder), cause);
    },
  );
  const before = entries.size;
  for (const child of children) {
    const path = folder === "" ? child.name : `${folder}/${child.name}`;
    // Sockets, pipes and devices have no place in an image.
    if (!child.isDirectory() && !child.isFile() && !child.isSymbolicLink()) continue;
    const verdict = patterns.judge(path, above);
    if (verdict.isIgnored && !(child.isDirectory() && verdict.mustBeRead)) continue;
    const stats = statsOf(join(contextDir, path));
    if (stats === undefined) continue;
    const hasKept =
      child.isDirectory() && (await walk({ contextDir, patterns, entries }, path, verdict));
    // An ignored folder comes along with what an exception keeps in it.
    if (!verdict.isIgnored || hasKept) entries.set(path, { path, stats, isHidden: false });
  }
  return entries.size > before;
}

/**
 * At once: of 100 000 files each wait of its own would add up to a second. Undefined for what has
 * been removed meanwhile.
 */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (cause) {
    if (isGone(cause) && !path.includes("\uFFFD")) return undefined;
    if (path.includes("\uFFFD"))
      throw new SettError(
        "build-failed",
        `The build context has a name that is no UTF-8: ${path}.`,
        {
          hint: "Rename it, or name it in .dockerignore with a ? for each character that is shown as �.",
          cause,
        },
      );
    throw unreadable(path, cause);
  }
}

/**
 * Finds a Dockerfile that may be a link, or in a folder that is one: relative to the context,
 * and outside of it (`../…`) where the link leads there. No builder follows such a link.
 */
export async function realDockerfile(contextDir: string, dockerfile: string): Promise<string> {
  const path = join(contextDir, dockerfile);
  try {
    return relative(await realpath(contextDir), await realpath(path));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/**
 * Editors and git make and remove files of their own at any time, so that what has gone since it
 * was listed is left out, as `docker build` does.
 */
export function isGone(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "ENOENT";
}

export function unreadable(path: string, cause: unknown): SettError {
  return new SettError("build-failed", `The build context cannot be read at ${path}.`, {
    hint: "Check its permissions, or name it in .dockerignore.",
    cause,
  });
}
