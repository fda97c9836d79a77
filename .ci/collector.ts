// Builds a collector of OpenTelemetry for the tests, below bin/tests, from the modules that its
// project publishes: `bun .ci/collector.ts`. The first time takes a minute or two; then nothing is
// done until .ci/collector changes.
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashOf } from "./build-record.ts";
import { reportFailure } from "./report-failure.ts";

const root = dirname(import.meta.dir);
const folder = ".ci/collector";
const flags = ["build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-mod=readonly"];

/**
 * Its path. Its name has what it was built from, so that several runs of the tests may build and
 * use it at the same time.
 */
export async function buildCollector(): Promise<string> {
  const files = ["main.go", "go.mod", "go.sum"].map((file) => join(folder, file));
  const hash = await hashOf(root, files, flags);
  const path = join(root, "bin/tests", `collector-${hash.slice(0, 12)}`);
  if (existsSync(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const env = { ...process.env, CGO_ENABLED: "0" };
  const compiler = Bun.spawn([goProgram(), ...flags, "-o", unfinished, "."], {
    cwd: join(root, folder),
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if ((await compiler.exited) !== 0)
    throw new Error("The collector of the tests could not be built.");
  await rename(unfinished, path);
  return path;
}

/** Its archive is often unpacked where the PATH does not lead. */
function goProgram(): string {
  const found = Bun.which("go") ?? ["/usr/local/go/bin/go"].find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    "The tests of telemetry need Go 1.26 or newer, to build a collector of OpenTelemetry, and there is no `go`.",
  );
}

if (import.meta.main) await buildCollector().catch(reportFailure);
