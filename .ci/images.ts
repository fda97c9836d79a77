// Builds the images: `bun .ci/images.ts [orchestrator|gateway|api|cub|agent-base|redis …] [--arch
// amd64|arm64|all]`.
//
// This machine's own architecture is tagged `sett/NAME:VERSION` and `:latest`, any other
// `sett/NAME:VERSION-ARCH`. An image carries the hash of what it was made from, so that one inspect
// tells that it is up to date: the legacy builder's cache costs some seconds even then, because it
// wants the whole context first.

import { dirname } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import {
  type Architecture,
  build,
  hostArchitecture,
  imageBinaries,
  type Service,
  sourcesHash,
} from "./build.ts";
import { hashOf } from "./build-record.ts";
import { reportFailure } from "./report-failure.ts";

const allImages = ["orchestrator", "gateway", "api", "cub", "agent-base", "redis"] as const;
type Image = (typeof allImages)[number];

/** `program`: the program in the image, which is compiled outside. `base`: the base image. */
type Recipe = { dockerfile: string; files: string[]; program?: Service; base: string };

const root = dirname(import.meta.dir);
const inputsLabel = "dev.sett.inputs";

const debian = "debian:bookworm-slim";
const ours = {
  dockerfile: "Dockerfile.multiarch",
  files: [
    "Dockerfile.multiarch",
    ".ci/set-interpreter.sh",
    ".ci/record-packages.sh",
    "apps/gateway/run.sh",
    "agents/adapter/run-cli",
    "agents/adapter/new-remarks",
  ],
  base: debian,
};
const recipes: Record<Image, Recipe> = {
  orchestrator: { ...ours, program: "orchestrator" },
  gateway: { ...ours, program: "gateway" },
  api: { ...ours, program: "api" },
  cub: { ...ours, program: "cub" },
  "agent-base": { ...ours, program: "cub" },
  redis: {
    dockerfile: "Dockerfile.redis",
    files: ["Dockerfile.redis", ".ci/record-packages.sh"],
    base: debian,
  },
};

/**
 * Compiles the programs in the images, then builds the images. Throws when the Engine refuses, with
 * its output.
 */
export async function buildImages(images: Image[], architecture: Architecture): Promise<void> {
  await build(imageBinaries(architecture));
  const hasBuildx = (await Bun.$`docker buildx version`.nothrow().quiet()).exitCode === 0;
  if (architecture !== hostArchitecture && !hasBuildx) {
    await Bun.$`node .ci/base-images.mjs ${architecture}`.cwd(root);
  }
  for (const image of images) {
    await buildImage(image, architecture, hasBuildx);
  }
  // Each build leaves some hundred megabytes behind; the last hour's still serve as the builder's
  // cache.
  await Bun.$`docker image prune --force --filter label=${inputsLabel} --filter until=1h`.quiet();
}

async function buildImage(
  image: Image,
  architecture: Architecture,
  hasBuildx: boolean,
): Promise<void> {
  const startedAt = performance.now();
  const tags = tagsOf(image, architecture);
  const inputs = await inputsOf(image, architecture, hasBuildx);
  if (await areMadeFrom(inputs, tags)) {
    return;
  }
  const { dockerfile } = recipes[image];
  const labels = [`--label=${inputsLabel}=${inputs}`, `--build-arg=VERSION=${packageJson.version}`];
  const options = [
    `--file=${dockerfile}`,
    `--target=${image}`,
    ...labels,
    ...tags.map((tag) => `--tag=${tag}`),
  ];
  const { exitCode, stdout, stderr } = hasBuildx
    ? await buildWithBuildx(options, architecture)
    : await buildByHand(options, image, architecture);
  if (exitCode !== 0) {
    throw new Error(
      `docker build of ${tags[0]} failed with exit code ${exitCode}:\n${stdout}\n${stderr}`,
    );
  }
  console.log(`image ${tags[0]} is ready (${Math.round(performance.now() - startedAt)} ms)`);
}

export function tagsOf(image: Image, architecture: Architecture): string[] {
  const versioned = `sett/${image}:${packageJson.version}`;
  return architecture === hostArchitecture
    ? [versioned, `sett/${image}:latest`]
    : [`${versioned}-${architecture}`];
}

/** The hash of the inputs of the image that the Engine has now. */
export async function inputsOfBuilt(image: Image, architecture: Architecture): Promise<string> {
  return await labelOf(tagsOf(image, architecture)[0] ?? "", inputsLabel);
}

/**
 * One hash over all inputs of an image: its program, the recipe, and the base image that the Engine
 * has now.
 */
async function inputsOf(
  image: Image,
  architecture: Architecture,
  hasBuildx: boolean,
): Promise<string> {
  const { files, program } = recipes[image];
  const base = hasBuildx ? recipes[image].base : await baseOf(image, architecture);
  const baseId = await Bun.$`docker image inspect --format {{.Id}} ${base}`
    .nothrow()
    .quiet()
    .text();
  return hashOf(root, files, [
    architecture,
    baseId,
    program === undefined ? "" : await sourcesHash(program),
  ]);
}

/**
 * The base image for the legacy builder. The stand-in for Redis has Debian's redis-server, and the
 * stand-in for Debian has not: where the machine uses stand-ins, there may be no network from which
 * to install it.
 */
async function baseOf(image: Image, architecture: Architecture): Promise<string> {
  const suffix = architecture === hostArchitecture ? "" : `-${architecture}`;
  const standIn = `redis:7-alpine${suffix}`;
  const isStandIn =
    image === "redis" && (await labelOf(standIn, "dev.sett.base")) === "debian-packages";
  return isStandIn ? standIn : `${recipes[image].base}${suffix}`;
}

async function labelOf(tag: string, label: string): Promise<string> {
  const format = `{{index .Config.Labels "${label}"}}`;
  return (
    await Bun.$`docker image inspect --format ${format} ${tag}`.nothrow().quiet().text()
  ).trim();
}

async function areMadeFrom(inputs: string, tags: string[]): Promise<boolean> {
  const found = await Promise.all(tags.map((tag) => labelOf(tag, inputsLabel)));
  return found.every((label) => label === inputs);
}

function buildWithBuildx(options: string[], architecture: Architecture) {
  return Bun.$`docker buildx build --load --platform=linux/${architecture} ${options} .`
    .cwd(root)
    .nothrow()
    .quiet();
}

/**
 * The legacy builder knows no platforms, and is always sent the whole context: it gets only what it
 * needs.
 */
async function buildByHand(options: string[], image: Image, architecture: Architecture) {
  const empty =
    architecture === hostArchitecture ? [] : [`--build-arg=EMPTY=sett/empty:${architecture}`];
  const base = `--build-arg=BASE=${await baseOf(image, architecture)}`;
  const platform = [`--build-arg=TARGETARCH=${architecture}`, base, ...empty];
  const { files, program } = recipes[image];
  const context = [
    ...files,
    ...(program === undefined ? [] : imageBinaries(architecture).map(({ path }) => path)),
  ];
  return await Bun.$`tar -c ${context} | docker build ${platform} ${options} -`
    .cwd(root)
    .env({ ...process.env, DOCKER_BUILDKIT: "0" })
    .nothrow()
    .quiet();
}

function isImage(name: string): name is Image {
  return allImages.some((image) => image === name);
}

function selected(args: string[]): { images: Image[]; architectures: Architecture[] } {
  const at = args.indexOf("--arch");
  const value = at === -1 ? hostArchitecture : args[at + 1];
  if (value !== "amd64" && value !== "arm64" && value !== "all") {
    throw new Error("--arch takes amd64, arm64 or all.");
  }
  const names = at === -1 ? args : args.toSpliced(at, 2);
  const unknown = names.find((name) => !isImage(name));
  if (unknown !== undefined) {
    throw new Error(`There is no image ${unknown}: use ${allImages.join(", ")}.`);
  }
  return {
    images: names.length === 0 ? [...allImages] : names.filter(isImage),
    architectures: value === "all" ? ["amd64", "arm64"] : [value],
  };
}

if (import.meta.main) {
  try {
    const { images, architectures } = selected(process.argv.slice(2));
    for (const architecture of architectures) {
      await buildImages(images, architecture);
    }
  } catch (error) {
    reportFailure(error);
  }
}
