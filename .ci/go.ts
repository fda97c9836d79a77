// Builds what is written in Go, from the modules that its projects publish: `bun .ci/go.ts
// collector`, a collector of OpenTelemetry for the tests; `bun .ci/go.ts verify`, the verifier of
// bundles, which is tested first; and for tests by night a witness of logs and what cosign verifies
// with. All are below bin/tests. The first time takes a minute or two;
// then nothing is done until the sources change. A release has the verifier, too (.ci/package.ts).
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Platform } from "./build.ts";
import { hashOf } from "./build-record.ts";
import { reportFailure } from "./report-failure.ts";

const root = dirname(import.meta.dir);
const options = ["-trimpath", "-buildvcs=false", "-mod=readonly"];
const flags = ["build", ...options, "-ldflags=-s -w"];
const folders = {
  attestation: ".ci/attestation",
  collector: ".ci/collector",
  verify: "apps/verify",
  witness: ".ci/witness",
};

/** The packages of programs that are in modules of other projects. */
const programs: Partial<Record<keyof typeof folders, string>> = {
  witness: "filippo.io/torchwood/cmd/litewitness",
};

/**
 * Its path. Its name has what it was built from, so that several runs of the tests may build and
 * use it at the same time.
 */
export async function buildForTests(name: keyof typeof folders): Promise<string> {
  const hash = await hashOf(root, sourcesOf(name), flags);
  const path = join(root, "bin/tests", `${name}-${hash.slice(0, 12)}`);
  if (existsSync(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await go(name, [...flags, "-o", unfinished, programs[name] ?? "."]);
  await rename(unfinished, path);
  return path;
}

/** Paths below the root, without the tests. */
export function sourcesOf(name: keyof typeof folders): string[] {
  return [...new Bun.Glob("{*.go,go.mod,go.sum}").scanSync(join(root, folders[name]))]
    .filter((file) => !file.endsWith("_test.go"))
    .map((file) => join(folders[name], file))
    .sort();
}

/** One static program at `path`. */
export async function buildVerifier(platform: Platform, path: string): Promise<void> {
  const [GOOS, GOARCH] = platform.split("-");
  await go("verify", [...flags, "-o", path, "."], { GOOS, GOARCH });
}

/** Its format, what `go vet` finds, and its tests, whose results Go keeps. */
async function testVerifier(): Promise<void> {
  const cwd = join(root, folders.verify);
  const home = await Bun.$`${goProgram()} env GOROOT`.cwd(cwd).text();
  const unformatted = await Bun.$`${join(home.trim(), "bin/gofmt")} -l .`.cwd(cwd).text();
  if (unformatted !== "")
    throw new Error(`In ${folders.verify}, gofmt -w would change:\n${unformatted}`);
  await go("verify", ["test", ...options, "-vet=all", "."]);
}

async function go(
  name: keyof typeof folders,
  args: string[],
  target: Record<string, string | undefined> = {},
): Promise<void> {
  const started = Bun.spawn([goProgram(), ...args], {
    cwd: join(root, folders[name]),
    env: { ...process.env, ...target, CGO_ENABLED: "0" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if ((await started.exited) !== 0) throw new Error(`go ${args[0]} of ${folders[name]} failed.`);
}

/** Its archive is often unpacked where the PATH does not lead. */
function goProgram(): string {
  const found = Bun.which("go") ?? ["/usr/local/go/bin/go"].find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(
    "A release, and the tests of telemetry and of the verifier, need Go 1.26 or newer, and there is no `go`.",
  );
}

if (import.meta.main) {
  try {
    const name = process.argv[2];
    if (name !== "collector" && name !== "verify") throw new Error("Use `collector` or `verify`.");
    if (name === "verify") await testVerifier();
    await buildForTests(name);
  } catch (error) {
    reportFailure(error);
  }
}
