// `just simulate --defects`: after how many schedules each of the planted mistakes is found, and by
// which rule.
import process from "node:process";
import { defects, searchFor } from "./defects.ts";

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
