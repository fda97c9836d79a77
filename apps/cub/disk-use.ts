// What a folder takes of its disk.
import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Of a file or folder as such, however small its content is: without it, millions of empty files would count nothing. */
const minBytesEach = 4096;
const bytesPerBlock = 512;
const atATime = 64;

/**
 * The bytes of all that is in the folder, links not followed; counting ends early above `enoughBytes`. A folder that its owner may not list
 * is opened up first: a command could hide there what it writes. Infinite where a path is too long to be followed. What goes meanwhile does
 * not count.
 */
export async function diskUse(folder: string, enoughBytes = Number.POSITIVE_INFINITY): Promise<number> {
  const counted = new Set<number>();
  const waiting = [folder];
  let bytes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const names = await namesIn(next);
    if (names === "too deep") return Number.POSITIVE_INFINITY;
    for (let at = 0; at < names.length; at += atATime) {
      const paths = names.slice(at, at + atATime).map((name) => join(next, name));
      const found = await Promise.all(paths.map((path) => lstat(path).catch(ignored)));
      for (const [index, stats] of found.entries()) {
        if (stats === "too deep") return Number.POSITIVE_INFINITY;
        if (stats === undefined) continue;
        if (stats.isDirectory()) waiting.push(paths[index] ?? "");
        else if (stats.nlink > 1) {
          if (counted.has(stats.ino)) continue;
          counted.add(stats.ino);
        }
        bytes += Math.max(minBytesEach, stats.blocks * bytesPerBlock);
      }
      if (bytes > enoughBytes) return bytes;
    }
  }
  return bytes;
}

async function namesIn(folder: string): Promise<string[] | "too deep"> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) !== "EACCES") return ignored(error) ?? [];
    await chmod(folder, 0o700).catch(() => {});
    return await readdir(folder).catch((again: unknown) => ignored(again) ?? []);
  }
}

function ignored(error: unknown): "too deep" | undefined {
  return codeOf(error) === "ENAMETOOLONG" ? "too deep" : undefined;
}

function codeOf(error: unknown): unknown {
  return Object(error).code;
}
