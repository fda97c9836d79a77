// Compiles the programs: `bun .ci/build.ts [--host | --images-only amd64|arm64|all | --all]`.
//
// --host bin/sett, for this machine; it uses the images that are built here (.ci/package.ts makes
// the ones that carry theirs) --images-only A bin/linux-A/orchestrator, gateway, api and cub, which
// the images hold --all both, for every architecture (none) bin/sett and what this machine's images
// hold

import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashOf, isUpToDate, remember } from "./build-record.ts";
import { buildPage, pageHash } from "./page.ts";
import { reportFailure } from "./report-failure.ts";

export type Architecture = "amd64" | "arm64";

export const services = ["orchestrator", "gateway", "api", "cub"] as const;
export type Service = (typeof services)[number];
type Program = "sett" | Service;

export type Platform = `${"linux" | "darwin"}-${Architecture}`;

/**
 * `platform` undefined: this machine's own. `carried`: files that are inside the program under
 * their own names.
 */
type Binary = { program: Program; path: string; platform?: Platform; carried?: string[] };

const root = dirname(import.meta.dir);

/** The programs that serve the page carry it. */
const servePage: ReadonlySet<string> = new Set(["sett", "api"]);

/** `sett` holds the services as well. */
const programs: Record<Program, { main: string; folders: string[]; flags: string[] }> = {
  sett: { main: "apps/main.ts", folders: ["apps"], flags: ["--splitting"] },
  orchestrator: { main: "apps/orchestrator/main.ts", folders: ["apps/orchestrator"], flags: [] },
  gateway: { main: "apps/gateway/main.ts", folders: ["apps/gateway"], flags: [] },
  api: { main: "apps/api/main.ts", folders: ["apps/api"], flags: [] },
  // The built-in worker is a part of its own, which a cub that bids and waits never loads.
  cub: { main: "apps/cub/main.ts", folders: ["apps/cub"], flags: ["--splitting"] },
};

/**
 * Bun's own names. Its x64 build chooses instructions at run time and runs without AVX, so there is
 * no separate baseline.
 */
const targets = {
  "linux-amd64": "bun-linux-x64",
  "linux-arm64": "bun-linux-arm64",
  "darwin-amd64": "bun-darwin-x64",
  "darwin-arm64": "bun-darwin-arm64",
} as const;

/**
 * Bytecode halves the start-up time, and needs `esm` for top-level await. The binaries must not
 * read a `.env` or `bunfig.toml` of the folder in which they happen to be started: a `preload`
 * there would run. Names are kept for traces.
 */
export const compilerFlags = [
  "--compile",
  "--bytecode",
  "--format=esm",
  "--minify",
  "--keep-names",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  // A native helper that dockerode's SSH transport uses where it is there; Sett does not speak to
  // Docker over SSH.
  "--external=cpu-features",
];

/** The files that a program carries keep their names, and the bundler does not parse them. */
const asFiles = [
  "--asset-naming=[name].[ext]",
  "--loader=.zst:file",
  "--loader=.about:file",
  "--loader=.pack:file",
];

export const hostArchitecture: Architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** The architecture that this machine runs in an emulator. */
export const otherArchitecture: Architecture = hostArchitecture === "arm64" ? "amd64" : "arm64";

export const hostBinaries: Binary[] = [{ program: "sett", path: "bin/sett" }];

/** The binaries in the images of one architecture. */
export function imageBinaries(architecture: Architecture): Binary[] {
  const platform = `linux-${architecture}` as const;
  return services.map((program) => ({ program, platform, path: `bin/${platform}/${program}` }));
}

/**
 * Compiles those of the binaries whose sources have changed since they were made. Throws when the
 * compiler refuses.
 */
export async function build(binaries: Binary[]): Promise<void> {
  for (const binary of binaries) {
    const hash = await binaryHash(binary);
    if (!(await isUpToDate(root, binary.path, hash))) {
      await compile(binary);
      await remember(root, binary.path, hash);
    }
  }
}

/**
 * The carried files are large: the hash is over their description (see `carry`) instead of their
 * content.
 */
async function binaryHash({ program, carried = [] }: Binary): Promise<string> {
  const sources = await sourcesHash(program);
  return carried.length === 0
    ? sources
    : hashOf(
        root,
        carried.filter((file) => file.endsWith(".about")),
        [sources],
      );
}

/**
 * One hash over all sources of a program. The files of `agents` are inside `sett`, which writes
 * them out again.
 */
export async function sourcesHash(program: Program): Promise<string> {
  const page = servePage.has(program) ? [await pageHash()] : [];
  return hashOf(root, await sourceFiles(program), [
    Bun.version,
    ...compilerFlags,
    ...programs[program].flags,
    ...page,
  ]);
}

/**
 * Paths below the root. One glob a folder: Bun finds nothing for an alternative that contains a
 * slash.
 */
export async function sourceFiles(program: Program): Promise<string[]> {
  const folders = [...programs[program].folders, "lib", "agents", ".ci/patches"];
  const found = await Promise.all(
    folders.map((folder) => Array.fromAsync(new Bun.Glob(`${folder}/**/*`).scan({ cwd: root }))),
  );
  return ["package.json", "bun.lock", ...found.flat().sort()];
}

/** Compiles beside the target and renames, so that a running program keeps its file. */
async function compile({ program, path, platform, carried = [] }: Binary): Promise<void> {
  const startedAt = performance.now();
  const unfinished = join(root, `${path}.${process.pid}`);
  await mkdir(dirname(unfinished), { recursive: true });
  const target = platform === undefined ? [] : [`--target=${targets[platform]}`];
  const { main, flags: own } = programs[program];
  const page = servePage.has(program) ? [await buildPage()] : [];
  const compiler = Bun.spawn(
    [
      process.execPath,
      "build",
      ...compilerFlags,
      ...own,
      ...asFiles,
      ...target,
      `--outfile=${unfinished}`,
      main,
      ...carried,
      ...page,
    ],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
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
    case "--host":
      return hostBinaries;
    case undefined:
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
      return [...hostBinaries, ...imageBinaries("amd64"), ...imageBinaries("arm64")];
    default:
      throw new Error(
        `Unknown argument ${mode}: use --host, --images-only amd64|arm64|all or --all.`,
      );
  }
}

if (import.meta.main) {
  try {
    await build(selected(process.argv.slice(2)));
  } catch (error) {
    reportFailure(error);
  }
}
