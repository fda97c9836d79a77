// Our programs as they are compiled: each starts in a fourth of the time that it takes from its
// sources, and the tests start thousands.
import { mkdir, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { build, compilerFlags, hostBinaries } from "../../../.ci/build.ts";
import { root } from "../root.ts";

// Compiles nothing where no source has changed since it was done.
await build(hostBinaries);

/** The command line, which holds the services, too. */
export const settBinary = join(root, "bin/sett");

/** The command that starts a service. */
export const serviceCommand = (
  app: "orchestrator" | "cub" | "gateway" | "api",
): [string, ...string[]] => [settBinary, "service", app];

/**
 * Compiles a program that only tests have, and resolves to its path. `main` is relative to the
 * project.
 */
export async function compileForTests(main: string): Promise<string> {
  const program = join(root, "bin/tests", basename(main, ".ts"));
  await mkdir(join(root, "bin/tests"), { recursive: true });
  // Beside the target and renamed: another test may have started it.
  const unfinished = `${program}.${process.pid}`;
  const compiler = Bun.spawn(
    [process.execPath, "build", ...compilerFlags, `--outfile=${unfinished}`, main],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  if ((await compiler.exited) !== 0) throw new Error(`${main} could not be compiled.`);
  await rename(unfinished, program);
  return program;
}
