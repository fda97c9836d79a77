// Says how much memory a look at a folder takes, or its removal: measured in a process of its own,
// which is this file.
import { spawnSync } from "node:child_process";
import { diskUse } from "../../../apps/cub/container/disk-use.ts";
import { emptyFolder, mendFolder } from "../../../lib/folders/remove-tree.ts";

const works = { diskUse, mendFolder, emptyFolder };

/** In bytes, beyond what the process has before. Throws when the work does. */
export function memoryOf(work: keyof typeof works, folder: string): number {
  const args = ["--smol", import.meta.path, work, folder];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

async function measure([work, folder = ""]: string[]): Promise<void> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  await works[work as keyof typeof works](folder);
  clearInterval(timer);
  console.log(Math.max(most, process.memoryUsage.rss()) - before);
}

if (import.meta.main) await measure(process.argv.slice(2));
