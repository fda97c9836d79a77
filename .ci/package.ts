// Builds the release: `bun .ci/package.ts [--all] [--quick]`, for this machine's platform or all of
// them, into bin/release.
//
// bin/<os>-<arch>/sett the one program, with the images inside bin/release/ the same as
// sett-<os>-<arch>; sett-verify-<os>-<arch>, the verifier of bundles; the npm packages: `sett`, and
// one for each platform; the SBOM sett.cdx.json; and SHA256SUMS of all files
//
// --quick compresses less, and the platform's package not at all: npm installs it all the same, and
// it is there in seconds instead of many minutes. It leaves the verifier out, which needs Go.

import { copyFile, link, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { type Architecture, build, hostArchitecture, type Platform } from "./build.ts";
import { hashOf, isUpToDate, recordOf, remember } from "./build-record.ts";
import { carriedNames, carry } from "./carry.ts";
import { buildVerifier, sourcesOf } from "./go.ts";
import { tagsOf } from "./images.ts";
import { reportFailure } from "./report-failure.ts";
import { type ImageRecord, packagesOfImage, sbomOf } from "./sbom.ts";

const root = dirname(import.meta.dir);
const release = join(root, "bin/release");
const sums = "bin/release/SHA256SUMS";
const platforms: Platform[] = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"];
const hostPlatform: Platform = `${process.platform === "darwin" ? "darwin" : "linux"}-${hostArchitecture}`;

const { version, description, license } = packageJson;
const about = { version, description, license };

/** `isQuick`: for tests, not for a release. */
async function makeRelease(wanted: Platform[], { isQuick }: { isQuick: boolean }): Promise<void> {
  const carried = new Map<Architecture, string[]>();
  for (const platform of wanted) {
    const architecture = platform.endsWith("arm64") ? "arm64" : "amd64";
    carried.set(
      architecture,
      carried.get(architecture) ?? (await carry(architecture, { level: isQuick ? 3 : 19 })),
    );
    await build([
      {
        program: "sett",
        platform,
        path: `bin/${platform}/sett`,
        carried: carried.get(architecture) ?? [],
      },
    ]);
  }
  const hash = await packedFrom(wanted, isQuick);
  if (await isUpToDate(root, sums, hash)) return;
  await rm(release, { recursive: true, force: true });
  await mkdir(release, { recursive: true });
  for (const platform of wanted) {
    await linkOrCopy(join(root, `bin/${platform}/sett`), join(release, `sett-${platform}`));
    await packPlatform(platform, { isQuick });
    if (!isQuick) await buildVerifier(platform, join(release, `sett-verify-${platform}`));
  }
  await packLauncher();
  await Bun.write(
    join(release, "sett.cdx.json"),
    await sbomOf(await recordsOf([...carried.keys()])),
  );
  await writeSums();
  await remember(root, sums, hash);
}

async function packedFrom(wanted: Platform[], isQuick: boolean): Promise<string> {
  const files = [
    ".ci/package.ts",
    ".ci/sbom.ts",
    ".ci/npm/sett.mjs",
    ".ci/npm/README.md",
    "LICENSE",
    "package.json",
    ...sourcesOf("verify"),
  ];
  const programs = await Promise.all(
    wanted.map((platform) => recordOf(root, `bin/${platform}/sett`)),
  );
  return hashOf(root, files, [String(isQuick), ...wanted, ...programs]);
}

/**
 * A package that holds nothing but the program: npm installs the one whose `os` and `cpu` are the
 * machine's.
 */
async function packPlatform(platform: Platform, { isQuick }: { isQuick: boolean }): Promise<void> {
  const [os = "", architecture] = platform.split("-");
  await pack({ isQuick }, async (folder) => {
    const manifest = {
      ...about,
      name: `sett-${platform}`,
      os: [os],
      cpu: [architecture === "arm64" ? "arm64" : "x64"],
    };
    await Bun.write(
      join(folder, "package.json"),
      JSON.stringify({ ...manifest, files: ["sett"] }, undefined, 2),
    );
    await linkOrCopy(join(root, `bin/${platform}/sett`), join(folder, "sett"));
  });
}

/**
 * The package that people install. It names the packages of all platforms, also of those that are
 * not built here.
 */
async function packLauncher(): Promise<void> {
  await pack({ isQuick: false }, async (folder) => {
    const manifest = {
      ...about,
      name: "sett",
      bin: { sett: "sett.mjs" },
      files: ["sett.mjs"],
      engines: { node: ">=20" },
      optionalDependencies: Object.fromEntries(
        platforms.map((platform) => [`sett-${platform}`, version]),
      ),
    };
    await Bun.write(join(folder, "package.json"), JSON.stringify(manifest, undefined, 2));
    await copyFile(join(root, ".ci/npm/sett.mjs"), join(folder, "sett.mjs"));
    await copyFile(join(root, ".ci/npm/README.md"), join(folder, "README.md"));
  });
}

async function recordsOf(architectures: Architecture[]): Promise<ImageRecord[]> {
  const records: ImageRecord[] = [];
  for (const architecture of architectures) {
    for (const name of carriedNames) {
      records.push({
        name,
        architecture,
        packages: await packagesOfImage(tagsOf(name, architecture)[0] ?? ""),
      });
    }
  }
  return records;
}

/**
 * Adds the licence to what `fill` writes, and runs `npm pack`, which compresses as much as it can:
 * a quick package is `npm pack`'s without that.
 */
async function pack(
  { isQuick }: { isQuick: boolean },
  fill: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sett-package-"));
  try {
    await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
    await fill(folder);
    if (isQuick) await packPlainly(folder);
    else await Bun.$`npm pack --silent --offline --pack-destination=${release}`.cwd(folder).quiet();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Npm unpacks an archive with one folder, which need not be compressed. */
async function packPlainly(folder: string): Promise<void> {
  const { name }: { name: string } = await Bun.file(join(folder, "package.json")).json();
  const path = join(release, `${name}-${version}.tgz`);
  await Bun.$`tar -c -f ${path} -C ${dirname(folder)} ${basename(folder)}`.quiet();
}

async function writeSums(): Promise<void> {
  const lines: string[] = [];
  for (const name of (await readdir(release)).sort()) {
    const hash = new Bun.CryptoHasher("sha256");
    for await (const chunk of Bun.file(join(release, name)).stream()) hash.update(chunk);
    lines.push(`${hash.digest("hex")}  ${name}\n`);
  }
  await Bun.write(join(root, sums), lines.join(""));
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}

if (import.meta.main) {
  try {
    const args = process.argv.slice(2);
    const unknown = args.find((arg) => arg !== "--all" && arg !== "--quick");
    if (unknown !== undefined)
      throw new Error(`Unknown argument ${unknown}: use --all or --quick.`);
    await makeRelease(args.includes("--all") ? platforms : [hostPlatform], {
      isQuick: args.includes("--quick"),
    });
  } catch (error) {
    reportFailure(error);
  }
}
