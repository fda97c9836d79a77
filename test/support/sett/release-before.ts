// The version before this one, made from the project's own history: its `sett`, and its images
// under a version of their own.
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { root } from "../root.ts";

/**
 * The last commit before the work on this version was begun. `sett up` takes its instances over,
 * and gives them back to it.
 */
const lastCommit = "b776bd0ae523669d846952e2fb1c8afe1406f74f";
/**
 * It is not the version that the release says itself, because its images must not replace those of
 * this release.
 */
const version = "0.0.9";

/** False in a clone without the project's history, where that release cannot be made. */
export const hasReleaseBefore =
  (await $`git cat-file -e ${`${lastCommit}^{commit}`}`.cwd(root).quiet().nothrow()).exitCode === 0;

/**
 * The path of its `sett`. What was made before is made again only where the Engine lacks an image.
 */
export async function releaseBefore(): Promise<string> {
  const folder = join(root, "bin/before", lastCommit);
  if (!existsSync(folder)) await unpack(folder);
  const bun = process.execPath;
  await $`${bun} .ci/build.ts && ${bun} .ci/images.ts orchestrator cub redis`.cwd(folder).quiet();
  return join(folder, "bin/sett");
}

async function unpack(folder: string): Promise<void> {
  const unfinished = `${folder}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    await $`git archive ${lastCommit} | tar --extract --directory=${unfinished}`.cwd(root).quiet();
    await symlink(join(root, "node_modules"), join(unfinished, "node_modules"));
    await replace(
      join(unfinished, "package.json"),
      /"version": "[^"]+"/,
      `"version": "${version}"`,
    );
    // `latest` is this release's.
    await replace(
      join(unfinished, ".ci/images.ts"),
      /\[versioned, [^\]]+:latest`\]/,
      "[versioned]",
    );
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function replace(file: string, what: RegExp, by: string): Promise<void> {
  const text = await readFile(file, "utf8");
  if (!what.test(text)) throw new Error(`${file} has nothing like ${what}.`);
  await writeFile(file, text.replace(what, by));
}
