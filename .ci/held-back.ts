// Runs something that writes to a file descriptor, and shows all that it wrote when it is over: what runs beside each other stays legible.
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Shows `title` above it. */
export async function heldBack<Result>(title: string, run: (output: number) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "sett-output-"));
  const path = join(folder, "output");
  const output = openSync(path, "w");
  try {
    return await run(output);
  } finally {
    closeSync(output);
    // All at once, so that what ends at the same time does not mix.
    process.stdout.write(`${title}\n${await readFile(path, "utf8")}`);
    await rm(folder, { recursive: true });
  }
}
