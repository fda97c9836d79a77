// `just simulate --defects`: after how many schedules each of the planted mistakes is found, and by
// which rule. With `--known`: which schedules show those that are not rare.
import { join } from "node:path";
import process from "node:process";
import { shownBy } from "./defects/shown-by.ts";
import { defects, isShown, searchFor } from "./defects.ts";

/**
 * Prints a line for each; `jobs` processes share them. Exit code 1 when one is not found among the
 * first `most` schedules.
 */
export async function findDefects({ most, jobs }: { most: number; jobs: number }): Promise<void> {
  const parts = Array.from({ length: jobs }, async (_, job) => {
    const command = [process.execPath, import.meta.path, `${most}`, `${job}`, `${jobs}`];
    return await Bun.spawn(command, { stdio: ["ignore", "inherit", "inherit"] }).exited;
  });
  if ((await Promise.all(parts)).some((code) => code !== 0)) process.exitCode = 1;
}

const knownPath = join(import.meta.dir, "defects/shown-by.ts");

/**
 * Keeps each known schedule that still shows its mistake, searches for another one of the rest, and
 * writes all into `shown-by.ts`. Exit code 1 when a mistake that is not rare is not found.
 */
export async function writeKnown({ most }: { most: number }): Promise<void> {
  const known: Record<string, number> = {};
  for (const defect of defects.filter(({ isRare }) => isRare !== true)) {
    const { name, plant } = defect;
    const before = shownBy[name];
    if (before !== undefined && isShown(plant, before)) {
      known[name] = before;
      continue;
    }
    const { seed, rule } = searchFor(defect, { most });
    console.log(`${String(seed).padStart(5)}  ${rule ?? "not found"}: ${name}`);
    if (rule === undefined) process.exitCode = 1;
    else known[name] = seed;
  }
  const names = Object.keys(known).toSorted();
  const lines = names.map((name) => `  ${JSON.stringify(name)}: ${known[name]},\n`);
  const text = await Bun.file(knownPath).text();
  await Bun.write(
    knownPath,
    text.replace(/= \{\n[^}]*\}/, () => `= {\n${lines.join("")}}`),
  );
}

function findShare(most: number, job: number, jobs: number): void {
  for (const [index, defect] of defects.entries()) {
    if (index % jobs !== job) continue;
    const { name, schedules, rule } = searchFor(defect, { most });
    if (rule === undefined) process.exitCode = 1;
    console.log(`${String(schedules).padStart(5)}  ${rule ?? "not found"}: ${name}`);
  }
}

if (import.meta.main) {
  const [most, job, jobs] = process.argv.slice(2).map(Number);
  findShare(most ?? 0, job ?? 0, jobs ?? 1);
}
