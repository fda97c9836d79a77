// The images that a handed-out program has inside it, brought to a real engine: only when they are
// needed, and only where they can run.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { Progress } from "../../../apps/cli/terminal/progress.ts";
import { type CarriedImages, importImages } from "../../../apps/cli/up/images/carried-images.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import type { EngineRuntime } from "../../../lib/runtime/port.ts";
import { fakeShell } from "../../support/cli/fake-shell.ts";
import { docker, ensureTinyImage, tinyImage } from "../../support/docker/tiny-image.ts";

const name = `sett-test/carried-${crypto.randomUUID().slice(0, 8)}`;
const tags = [`${name}:1.2.3`, `${name}:latest`];
const label = "dev.sett.inputs";

let runtime: EngineRuntime;
let archive: Uint8Array<ArrayBuffer>;
let architecture: string;

beforeAll(async () => {
  await ensureTinyImage();
  runtime = await dockerRuntime({ env: process.env });
  ({ architecture } = await runtime.observe.check());
  await makeImage("this build");
  const folder = await mkdtemp(join(tmpdir(), "sett-carried-"));
  await docker("save", "--output", join(folder, "images.tar"), ...tags);
  archive = new Uint8Array(zstdCompressSync(await Bun.file(join(folder, "images.tar")).bytes()));
  await rm(folder, { recursive: true });
});

afterAll(async () => {
  await docker("image", "rm", "--force", ...tags);
});

/**
 * Makes an image with the names that are carried, and the label that says what it was made from.
 * Returns its id.
 */
async function makeImage(inputs: string): Promise<string> {
  const options = ["--label", `${label}=${inputs}`, ...tags.flatMap((tag) => ["--tag", tag])];
  const folder = await mkdtemp(join(tmpdir(), "sett-carried-"));
  await Bun.write(join(folder, "Dockerfile"), `FROM ${tinyImage}\n`);
  const built = await docker("build", ...options, folder);
  await rm(folder, { recursive: true });
  if (built.exitCode !== 0) throw new Error(built.stderr);
  return (await runtime.engine.images.find(tags[0] ?? ""))?.id ?? "";
}

/** Returns what a person sees meanwhile. */
async function bring(about: Partial<CarriedImages> = {}): Promise<string> {
  const description = {
    architecture,
    bytes: archive.length,
    images: [{ tags, inputs: "this build" }],
    ...about,
  };
  const files = new Map([
    ["carried.about", new Blob([JSON.stringify(description)])],
    ["images.zst", new Blob([archive])],
  ]);
  const shell = { ...fakeShell(), carried: (file: string) => files.get(file) };
  using progress = new Progress(shell.err);
  await importImages({ runtime, shell, progress });
  return shell.written.err;
}

const inputsNow = async () =>
  Promise.all(tags.map(async (tag) => (await runtime.engine.images.find(tag))?.labels[label]));

test("what is not there is imported, under all of its names; what is there already is left alone", async () => {
  await docker("image", "rm", "--force", ...tags);
  expect(await bring()).toContain("Sett's images: imported");
  expect(await inputsNow()).toEqual(["this build", "this build"]);
  expect(await bring()).toBe("");
}, 300_000);

test("an image of the same name that another build has made gives way, and does not stay behind without a name", async () => {
  const other = await makeImage("another build");
  expect(await inputsNow()).toEqual(["another build", "another build"]);
  expect(await bring()).toContain("Sett's images: imported");
  expect(await inputsNow()).toEqual(["this build", "this build"]);
  expect(await runtime.engine.images.find(other)).toBeUndefined();
}, 300_000);

test("an engine of another architecture is named; an image that was built for it by hand is used", async () => {
  await docker("image", "rm", "--force", ...tags);
  const error = await bring({ architecture: "riscv64" }).catch((thrown: unknown) => thrown);
  if (!(error instanceof SettError)) throw error;
  expect(error.code).toBe("image-not-found");
  expect(error.message).toBe(
    `The Docker Engine runs on ${architecture}, and this sett carries images for riscv64.`,
  );
  expect(error.hint).toBe(`Use the sett for ${architecture} with this Engine.`);
  await makeImage("by hand");
  expect(await bring({ architecture: "riscv64" })).toBe("");
}, 300_000);

test.each([
  [
    "ends too early",
    (whole: typeof archive) => whole.slice(0, Math.floor(whole.length / 2)),
    "could not load images from an archive",
  ],
  ["is damaged", (whole: typeof archive) => new Uint8Array(whole.length), "cannot be read"],
])(
  "an archive that %s is an error that says so, and nothing is taken in",
  async (_, change, words) => {
    await docker("image", "rm", "--force", ...tags);
    const whole = archive;
    archive = change(whole);
    const error = await bring().catch((thrown: unknown) => thrown);
    archive = whole;
    if (!(error instanceof SettError)) throw error;
    expect(error.message).toContain(words);
    expect(await inputsNow()).toEqual([undefined, undefined]);
  },
  300_000,
);
