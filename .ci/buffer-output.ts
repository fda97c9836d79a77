// Runs a job that writes to a file descriptor, and prints its whole output when it has ended: so
// the outputs of parallel jobs do not mix.
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Prints `title` above the output. */
export async function withBufferedOutput<Result>(
  title: string,
  run: (output: number) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "sett-output-"));
  const path = join(folder, "output");
  const output = openSync(path, "w");
  try {
    return await run(output);
  } finally {
    closeSync(output);
    // In one write, so that jobs that end at the same time do not mix.
    process.stdout.write(`${title}\n${await readFile(path, "utf8")}`);
    await rm(folder, { recursive: true });
  }
}
