// Packs the images that `sett up` starts into one file, for a `sett` that carries them.
//
// An archive for `docker load`, with each layer once, compressed. Five of the layers have the same
// runtime: they are next to each other, none farther from the one before than the window of the
// compressor, so that the runtime takes its space only once.

import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createZstdCompress } from "node:zlib";
import type { CarriedImages } from "../apps/cli/up/images/carried-images.ts";
import packageJson from "../package.json" with { type: "json" };
import type { Architecture } from "./build.ts";
import { buildImages, inputsOfBuilt, tagsOf } from "./images.ts";

type Manifest = { Config: string; RepoTags: string[]; Layers: string[] }[];

const root = dirname(import.meta.dir);
/** In this order their large layers are next to each other. */
export const carriedNames = [
  "agent-base",
  "cub",
  "gateway",
  "api",
  "orchestrator",
  "redis",
] as const;
/** The largest window that every decompressor accepts by default: 128 MiB. */
const windowLog = 27;
const largeBytes = 64 * 1024 * 1024;
/** The version of the file's format; changes here make the file stale. */
const format = 1;

/** `level`: of zstd. */
export type Effort = { level: number };

/**
 * Builds the images of one architecture and packs them, unless that has been done. Returns the two
 * files for `build`: the images, and their description.
 */
export async function carry(architecture: Architecture, { level }: Effort): Promise<string[]> {
  await buildImages([...carriedNames], architecture);
  const folder = `bin/carried/${architecture}`;
  const files = [`${folder}/images.zst`, `${folder}/carried.about`];
  const about: CarriedImages = { architecture, bytes: 0, images: await namedImages(architecture) };
  const key = JSON.stringify([format, windowLog, level, about]);
  const hash = new Bun.CryptoHasher("sha256").update(key).digest("hex");
  if (await isPacked(join(root, folder), hash)) return files;
  const startedAt = performance.now();
  const sources = carriedNames.map((image) => tagsOf(image, architecture)[0] ?? "");
  const bytes = await pack(sources, about.images, join(root, folder, "images.zst"), level);
  await Bun.write(join(root, folder, "carried.about"), JSON.stringify({ ...about, bytes }));
  await Bun.write(join(root, folder, "fingerprint"), hash);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(
    `packed the images for ${architecture} into ${Math.round(bytes / 1e6)} MB (${seconds} s)`,
  );
  return files;
}

async function isPacked(folder: string, hash: string): Promise<boolean> {
  const record = Bun.file(join(folder, "fingerprint"));
  return (
    (await record.exists()) &&
    (await record.text()) === hash &&
    (await Bun.file(join(folder, "images.zst")).exists())
  );
}

/** Each image under the names that `sett` looks for, with the hash of its inputs. */
async function namedImages(architecture: Architecture): Promise<CarriedImages["images"]> {
  return await Promise.all(
    carriedNames.map(async (image) => {
      const versioned = `sett/${image}:${packageJson.version}`;
      // Agents' Dockerfiles name it without a version.
      const tags = image === "agent-base" ? [versioned, "sett/agent-base:latest"] : [versioned];
      return { tags, inputs: await inputsOfBuilt(image, architecture) };
    }),
  );
}

async function pack(
  sources: string[],
  named: CarriedImages["images"],
  path: string,
  level: number,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "sett-carry-"));
  try {
    await Bun.$`docker save ${sources} | tar -x -C ${folder}`.quiet();
    const saved: Manifest = await Bun.file(join(folder, "manifest.json")).json();
    const members = await membersOf(folder, saved, sources, named);
    await mkdir(dirname(path), { recursive: true });
    const params = {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_enableLongDistanceMatching]: 1,
      [constants.ZSTD_c_windowLog]: windowLog,
    };
    const unfinished = `${path}.${process.pid}`;
    await pipeline(
      Readable.from(tar(members)),
      createZstdCompress({ params }),
      createWriteStream(unfinished),
    );
    await rename(unfinished, path);
    return Bun.file(path).size;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A file of the archive: text, or a file on disk that may be compressed by itself. */
type Member = { name: string } & ({ text: string } | { path: string; bytes: number });

async function membersOf(
  folder: string,
  saved: Manifest,
  sources: string[],
  named: CarriedImages["images"],
): Promise<Member[]> {
  const layers = new Map<string, Member & { path: string; bytes: number }>();
  const configurations: Member[] = [];
  const manifest: Manifest = [];
  for (const [index, source] of sources.entries()) {
    const image = saved.find(({ RepoTags }) => RepoTags.includes(source));
    if (image === undefined) throw new Error(`docker save left ${source} out.`);
    const text = await readFile(join(folder, image.Config), "utf8");
    const { rootfs }: { rootfs: { diff_ids: string[] } } = JSON.parse(text);
    const names = rootfs.diff_ids.map((id) => `${id.replace("sha256:", "")}.tar`);
    for (const [at, name] of names.entries()) {
      if (!layers.has(name))
        layers.set(name, { name, ...(await uncompressed(join(folder, image.Layers[at] ?? ""))) });
    }
    const config = `${new Bun.CryptoHasher("sha256").update(text).digest("hex")}.json`;
    configurations.push({ name: config, text });
    manifest.push({ Config: config, RepoTags: named[index]?.tags ?? [], Layers: names });
  }
  const all = [...layers.values()];
  const large = all.filter(({ bytes }) => bytes >= largeBytes);
  const small = all.filter(({ bytes }) => bytes < largeBytes);
  return [
    { name: "manifest.json", text: JSON.stringify(manifest) },
    ...configurations,
    ...small,
    ...large,
  ];
}

/** Some Engines save their layers compressed, as they came from a registry. */
async function uncompressed(path: string): Promise<{ path: string; bytes: number }> {
  const file = await open(path);
  const { buffer } = await file.read(new Uint8Array(2), 0, 2, 0);
  await file.close();
  if (buffer[0] !== 0x1f || buffer[1] !== 0x8b) return { path, bytes: Bun.file(path).size };
  const plain = `${path}.plain`;
  await pipeline(createReadStream(path), createGunzip(), createWriteStream(plain));
  return { path: plain, bytes: Bun.file(plain).size };
}

const block = 512;

/** The archive does not depend on the time and the user that made it. */
async function* tar(members: Member[]): AsyncGenerator<Uint8Array> {
  for (const member of members) {
    const bytes = "text" in member ? Buffer.byteLength(member.text) : member.bytes;
    yield header(member.name, bytes);
    if ("text" in member) yield Buffer.from(member.text);
    else yield* createReadStream(member.path, { highWaterMark: 1024 * 1024 });
    yield Buffer.alloc((block - (bytes % block)) % block);
  }
  yield Buffer.alloc(2 * block);
}

function header(name: string, bytes: number): Uint8Array {
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  const buffer = Buffer.alloc(block);
  const fields = {
    0: name,
    100: octal(0o644, 7),
    108: octal(0, 7),
    116: octal(0, 7),
    124: octal(bytes, 11),
    136: octal(0, 11),
  };
  for (const [at, text] of Object.entries({
    ...fields,
    148: "        ",
    156: "0",
    257: "ustar\x0000",
  })) {
    buffer.write(text, Number(at), "latin1");
  }
  const sum = buffer.reduce((total, byte) => total + byte, 0);
  buffer.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return buffer;
}

if (import.meta.main)
  console.log(
    await carry(process.argv[2] === "arm64" ? "arm64" : "amd64", {
      level: Number(process.argv[3] ?? 3),
    }),
  );
