// Compiles the three programs: `bun .ci/build.ts [--host | --images-only amd64|arm64|all | --all]`.
//
// --host           bin/sett, for this machine, and the services that `sett up --runtime process` starts
// --images-only A  bin/linux-A/orchestrator and bin/linux-A/cub, which the images hold
// --all            both, for every platform, and bin/<os>-<arch>/sett to hand out
// (none)           bin/sett and what this machine's images hold

import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashOf, isUpToDate, remember } from "./build-record.ts";
import { reportFailure } from "./report-failure.ts";

export type Architecture = "amd64" | "arm64";

type Program = "sett" | "orchestrator" | "cub";

/** `platform` undefined: this machine's own. */
type Binary = { program: Program; path: string; platform?: `${"linux" | "darwin"}-${Architecture}` };

const root = dirname(import.meta.dir);
const apps = { sett: "apps/cli", orchestrator: "apps/orchestrator", cub: "apps/cub" };

/** Bun's own names. Its x64 build chooses instructions at run time and runs without AVX, so there is no separate baseline. */
const targets = {
  "linux-amd64": "bun-linux-x64",
  "linux-arm64": "bun-linux-arm64",
  "darwin-amd64": "bun-darwin-x64",
  "darwin-arm64": "bun-darwin-arm64",
} as const;

/**
 * Bytecode halves the start-up time, and needs `esm` for top-level await. The binaries must not read a `.env` or
 * `bunfig.toml` of the folder in which they happen to be started: a `preload` there would run. Names are kept for traces.
 */
const flags = [
  "--compile",
  "--bytecode",
  "--format=esm",
  "--minify",
  "--keep-names",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  // A native helper that dockerode's SSH transport uses where it is there; Sett does not speak to Docker over SSH.
  "--external=cpu-features",
];

export const hostArchitecture: Architecture = process.arch === "arm64" ? "arm64" : "amd64";

export const hostBinaries: Binary[] = [{ program: "sett", path: "bin/sett" }];

/** What the images of one architecture hold. */
export function imageBinaries(architecture: Architecture): Binary[] {
  const platform = `linux-${architecture}` as const;
  return (["orchestrator", "cub"] as const).map((program) => ({ program, platform, path: `bin/${platform}/${program}` }));
}

function releaseBinaries(): Binary[] {
  const platforms = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"] as const;
  return platforms.map((platform) => ({ program: "sett", platform, path: `bin/${platform}/sett` }));
}

/** Compiles those of the binaries whose sources have changed since they were made. Throws when the compiler refuses. */
export async function build(binaries: Binary[]): Promise<void> {
  for (const binary of binaries) {
    const hash = await sourcesHash(binary.program);
    if (!(await isUpToDate(root, binary.path, hash))) {
      await compile(binary);
      await remember(root, binary.path, hash);
    }
  }
}

/** Stands for everything that a program is made from. The files of `agents` are inside `sett`, which writes them out again. */
export async function sourcesHash(program: Program): Promise<string> {
  return hashOf(root, await sourceFiles(program), [Bun.version, ...flags]);
}

/** Paths below the root. One glob a folder: Bun finds nothing for an alternative that contains a slash. */
export async function sourceFiles(program: Program): Promise<string[]> {
  const folders = [apps[program], "lib", "agents"];
  const found = await Promise.all(folders.map((folder) => Array.fromAsync(new Bun.Glob(`${folder}/**/*`).scan({ cwd: root }))));
  return ["package.json", "bun.lock", ...found.flat().sort()];
}

/** Compiles beside the target and renames, so that a running program keeps its file. */
async function compile({ program, path, platform }: Binary): Promise<void> {
  const startedAt = performance.now();
  const unfinished = join(root, `${path}.${process.pid}`);
  await mkdir(dirname(unfinished), { recursive: true });
  const target = platform === undefined ? [] : [`--target=${targets[platform]}`];
  const compiler = Bun.spawn(
    [process.execPath, "build", ...flags, ...target, `--outfile=${unfinished}`, `${apps[program]}/main.ts`],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const [code, ...output] = await Promise.all([
    compiler.exited,
    new Response(compiler.stdout).text(),
    new Response(compiler.stderr).text(),
  ]);
  if (code !== 0) {
    throw new Error(`bun build of ${path} failed with exit code ${code}:\n${output.join("\n")}`);
  }
  await rename(unfinished, join(root, path));
  console.log(`built ${path} in ${Math.round(performance.now() - startedAt)} ms`);
}

function selected(args: string[]): Binary[] {
  const [mode, value] = args;
  switch (mode) {
    case undefined:
    case "--host":
      return [...hostBinaries, ...imageBinaries(hostArchitecture)];
    case "--images-only":
      if (value === "amd64" || value === "arm64") {
        return imageBinaries(value);
      }
      if (value === "all") {
        return [...imageBinaries("amd64"), ...imageBinaries("arm64")];
      }
      throw new Error("--images-only takes amd64, arm64 or all.");
    case "--all":
      return [...hostBinaries, ...releaseBinaries(), ...imageBinaries("amd64"), ...imageBinaries("arm64")];
    default:
      throw new Error(`Unknown argument ${mode}: use --host, --images-only amd64|arm64|all or --all.`);
  }
}

if (import.meta.main) {
  try {
    await build(selected(process.argv.slice(2)));
  } catch (error) {
    reportFailure(error);
  }
}
