// Reads the packages that a sett.yml names: Sett's own, folders, and what sett.lock has of images.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { messageOf } from "../model/errors.ts";
import { PackageFile, packageFile } from "../model/package.ts";
import { ownNames, ownPackages, type PackageContent, unknownPackage } from "./own-packages.ts";
import { formatPath, formatProblem } from "./problems.ts";
import { parseWith } from "./sentences.ts";
import { brokenLock, lockFile, parseLock, type SettLock } from "./sett-lock.ts";
import { type KnownPackage, type KnownPackages, kindOfUse } from "./with-packages.ts";
import { parseYaml } from "./yaml-file.ts";

const maxFileBytes = 256 * 1024;

type Problem = { problem: string };

/** `problem`: a sentence where the sett.lock is none. */
export type ReadPackages = { known: KnownPackages; lock: SettLock; problem?: string };

/**
 * `folder`: of the sett.yml. What is not needed is not read: files without `use` have no lock.
 * `seen`: what takes the place of the same package in sett.lock.
 */
export async function readPackages(
  uses: readonly string[],
  folder: string,
  seen: SettLock = new Map(),
): Promise<ReadPackages> {
  if (uses.length === 0) return { known: new Map(), lock: seen };
  const parsed = await readLock(join(folder, lockFile));
  const lock = new Map([...(parsed.problem === undefined ? parsed.lock : []), ...seen]);
  const read = uses.map(async (use) => [use, await readPackage(use, folder, lock)] as const);
  const known = new Map(await Promise.all(read));
  return { known, lock, ...(parsed.problem !== undefined && { problem: parsed.problem }) };
}

async function readLock(path: string): Promise<ReturnType<typeof parseLock>> {
  try {
    if (!(await stat(path)).isFile()) return { problem: brokenLock("it is no file") };
    return parseLock(await readFile(path, "utf8"));
  } catch (error) {
    return isMissing(error)
      ? parseLock(undefined)
      : { problem: brokenLock(`it cannot be read: ${messageOf(error)}`) };
  }
}

/** The words of `use` in the text of a sett.yml, each once. */
export function usesIn(text: string): string[] {
  return [...new Set(agentsWithUse(text).map(({ use }) => use))];
}

/** In the order of the file. */
export function agentsWithUse(text: string): { name: string; use: string }[] {
  // Most files have none, and are read once then.
  if (!text.includes("use")) return [];
  const agents: [string, unknown][] = Object.entries(Object(Object(parseYaml(text).data).agents));
  return agents.flatMap(([name, agent]) => {
    const { use } = Object(agent);
    return typeof use === "string" ? [{ name, use }] : [];
  });
}

export async function readPackage(
  use: string,
  folder: string,
  lock: SettLock,
): Promise<KnownPackage | Problem> {
  const kind = kindOfUse(use, ownNames);
  switch (kind) {
    case undefined:
      return { problem: unknownPackage(use) };
    case "own":
      return ownPackage(use);
    case "folder":
      return await readFolder(
        { folder: resolve(folder, use), settFolder: resolve(folder) },
        `${use.replace(/\/+$/, "")}/${packageFile}`,
      );
    case "image": {
      const locked = lock.get(use);
      if (locked?.agent === undefined || locked.image === undefined)
        return {
          problem: `names an image that ${lockFile} does not have: \`sett add ${use}\` reads what it is and asks for`,
        };
      const read = readAgentYml(locked.agent, `${use}:${packageFile}`);
      if ("problem" in read) return read;
      return { kind, digest: locked.digest, ...read, image: locked.image };
    }
  }
}

function ownPackage(name: string): KnownPackage | Problem {
  const files = ownPackages.get(name) ?? [];
  const text = files.find(({ path }) => path === packageFile)?.content ?? "";
  const read = readAgentYml(text, `${name}/${packageFile}`);
  const digest = digestOf(files.map((file) => ({ ...file, content: digestOfText(file.content) })));
  return "problem" in read ? read : { kind: "own", digest, ...read };
}

type PackageFolder = { folder: string; settFolder: string };

/** `name`: of its agent.yml, as mistakes name it. */
async function readFolder(
  { folder, settFolder }: PackageFolder,
  name: string,
): Promise<KnownPackage | Problem> {
  const path = join(folder, packageFile);
  try {
    if (!(await stat(folder)).isDirectory())
      return { problem: `names ${folder}, which is no folder` };
    const agent = await stat(path);
    if (!agent.isFile()) return { problem: `names ${folder}, whose ${packageFile} is no file` };
    if (agent.size > maxFileBytes)
      return { problem: `names a package whose ${packageFile} is larger than 256 KiB` };
    const read = readAgentYml(await readFile(path, "utf8"), name);
    if ("problem" in read) return read;
    return { kind: "folder", digest: digestOf(await filesOf({ folder, settFolder })), ...read };
  } catch (error) {
    return {
      problem: isMissing(error)
        ? `names ${folder}, which has no ${packageFile}: a package is a folder with a Dockerfile and an ${packageFile}; a folder without one belongs in \`build\``
        : `names ${folder}, which cannot be read: ${messageOf(error)}`,
    };
  }
}

/** `name`: of the file, as its mistakes are shown. */
export function readAgentYml(
  text: string,
  name: string,
): Pick<KnownPackage, "file" | "said"> | Problem {
  const yaml = parseYaml(text);
  const parsed = parseWith(PackageFile, yaml.data ?? {});
  if (yaml.mistakes.length === 0 && parsed.isValid)
    return { file: parsed.value, said: Object(yaml.data) };
  const own = parsed.isValid ? [] : parsed.mistakes;
  const mistakes = [
    ...yaml.mistakes,
    ...(yaml.mistakes.length > 0 ? [] : own).map(({ path, sentence, side }) => ({
      ...yaml.place(path, side),
      path: formatPath(path),
      sentence,
    })),
  ];
  const lines = mistakes.map((mistake) => formatProblem({ file: name, ...mistake }));
  return { problem: `names a package whose ${packageFile} is none: ${lines.join("; ")}` };
}

/** `content` is a digest, too, because a folder may have large files. */
function digestOf(files: readonly PackageContent[]): string {
  const hash = createHash("sha256");
  for (const { path, content, mode } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(JSON.stringify([path, (mode & 0o100) > 0, content]));
  return `sha256:${hash.digest("hex")}`;
}

/**
 * Without what changes by itself: the repository, and the sett.lock that has the digest. One file
 * after another, because a folder may have many.
 */
async function filesOf({ folder, settFolder }: PackageFolder): Promise<PackageContent[]> {
  const found: PackageContent[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const at = join(entry.parentPath, entry.name);
    const path = relative(folder, at);
    if (/^\.git(?:\/|$)/.test(path) || at === join(settFolder, lockFile)) continue;
    if (entry.isFile())
      found.push({ path, content: await digestOfFile(at), mode: (await stat(at)).mode });
    else if (entry.isSymbolicLink())
      found.push({ path, content: await digestOfLink(at), mode: 0o120000 });
  }
  return found;
}

/** A build reads a Dockerfile through a link, also out of the folder. */
async function digestOfLink(path: string): Promise<string> {
  const target = digestOfText(await readlink(path));
  const isFile = (await stat(path).catch(() => undefined))?.isFile() === true;
  return isFile ? `${target} ${await digestOfFile(path)}` : target;
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest("hex");
}

function digestOfText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
