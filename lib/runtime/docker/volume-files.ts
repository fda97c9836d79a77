// The files of a volume, out of it and into it, by a container that never runs: the Engine packs
// and unpacks them itself.
import { dirname } from "node:path";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import type { Owner } from "../container-spec.ts";
import type { VolumeFile } from "../port.ts";
import { archiveEnd, BrokenArchive, paddingOf, readTar, writeHeader } from "../tar.ts";
import { ask, explain } from "./errors.ts";
import { findCarrierImage } from "./lock.ts";
import { openIdleContainer } from "./volumes.ts";

const folder = "sett-volume";

export async function* readFiles(docker: Docker, volume: string): AsyncGenerator<VolumeFile> {
  const doing = `read the volume ${volume}`;
  await using idle = await openIdle(docker, volume);
  const options = { path: `/${folder}/.` };
  const stream = Readable.from(await ask(doing, () => idle.container.getArchive(options)));
  try {
    for await (const { name, kind, size, content } of readTar(stream)) {
      const path = name.replace(/^(?:\.\/)+/, "");
      if (kind === "0") yield { path, size, content };
    }
  } catch (error) {
    if (!(error instanceof BrokenArchive)) throw explain(error, doing);
    const message = `Docker could not ${doing}: what it sent of it is not whole.`;
    throw new SettError("docker-failed", message, { cause: error });
  } finally {
    stream.destroy();
  }
}

/** The archive names the mount point, so that this becomes the owner's, too (volumes.ts). */
export async function writeFiles(
  docker: Docker,
  volume: string,
  files: AsyncIterable<VolumeFile>,
  { owner, signal }: { owner: Owner; signal: AbortSignal },
): Promise<void> {
  const doing = `write into the volume ${volume}`;
  await using idle = await openIdle(docker, volume);
  const source = Readable.from(archiveOf(files, owner));
  try {
    // dockerode passes the stream to its request, which does not notice a failure of the stream.
    const isBroken = new Promise<never>((_, reject) => source.once("error", reject));
    isBroken.catch(() => undefined);
    const written = idle.container.putArchive(source, { path: "/", abortSignal: signal });
    await Promise.race([written, isBroken]);
  } catch (error) {
    throw explain(error, doing, signal);
  } finally {
    source.destroy();
  }
}

async function openIdle(docker: Docker, volume: string) {
  const image = await findCarrierImage(docker);
  return await openIdleContainer(docker, volume, { image, target: `/${folder}`, isFilled: false });
}

/** A folder comes before the first file in it: the Engine would make it for root. */
async function* archiveOf(
  files: AsyncIterable<VolumeFile>,
  owner: Owner,
): AsyncGenerator<Uint8Array> {
  const made = new Set<string>();
  const folders = function* (path: string): Generator<Uint8Array> {
    if (made.has(path)) return;
    if (path !== folder) yield* folders(dirname(path));
    made.add(path);
    const mode = path === folder ? 0o755 : 0o700;
    yield writeHeader({ name: `${path}/`, kind: "5", size: 0, mode, owner });
  };
  yield* folders(folder);
  for await (const { path, size, content } of files) {
    const name = `${folder}/${path}`;
    yield* folders(dirname(name));
    yield writeHeader({ name, kind: "0", size, mode: 0o600, owner });
    yield* content;
    yield new Uint8Array(paddingOf(size));
  }
  yield archiveEnd;
}
