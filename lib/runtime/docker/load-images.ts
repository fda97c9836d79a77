// Loads images from an archive, over the Engine's API.
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { explain } from "./errors.ts";
import { findImage } from "./images.ts";
import { jsonMessages } from "./json-messages.ts";
import { untilSilent } from "./patience.ts";
import { removeUnnamed } from "./remove-built-images.ts";

const doing = "load images from an archive";

export async function loadImages(
  docker: Docker,
  archive: AsyncIterable<Uint8Array>,
  { tags, signal }: { tags: readonly string[]; signal: AbortSignal },
): Promise<void> {
  const before = await idsOf(docker, tags);
  try {
    const source = Readable.from(archive);
    // dockerode passes the stream to its request, which does not notice a failure of the stream.
    const isBroken = new Promise<never>((_, reject) => source.once("error", reject));
    isBroken.catch(() => undefined);
    const answer = docker.loadImage(source, { abortSignal: signal, quiet: true });
    const stream = await Promise.race([answer, isBroken]);
    for await (const message of jsonMessages(untilSilent(docker, "/images/load", stream))) {
      if (message.error !== undefined)
        throw new SettError("docker-failed", `Docker could not ${doing}: ${message.error}`);
    }
  } catch (error) {
    throw explain(error, doing, signal);
  }
  const now = await idsOf(docker, tags);
  for (const id of before) {
    if (now.has(id)) continue;
    await removeUnnamed(docker, id).catch(() => undefined);
  }
}

async function idsOf(docker: Docker, tags: readonly string[]): Promise<Set<string>> {
  const found = await Promise.all(tags.map((tag) => findImage(docker, tag)));
  return new Set(found.flatMap((image) => (image === undefined ? [] : [image.id])));
}
