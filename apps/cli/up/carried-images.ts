// The images that this program has inside it, and that an Engine needs before anything of Sett can run there.
import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { ContainerRuntime } from "../../../lib/runtime/port.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { inputsLabel } from "./inputs-label.ts";

/** What `.ci/carry.ts` says of the archive beside it. */
export type CarriedImages = {
  /** `amd64`, `arm64`, as in image names. */
  architecture: string;
  /** How long the archive is, compressed as it is carried. */
  bytes: number;
  /** `inputs`: what the label of an image of these names says that need not be brought. */
  images: { tags: string[]; inputs: string }[];
};

type Order = { runtime: ContainerRuntime; shell: Pick<Shell, "carried" | "interrupted">; progress: Progress };

/**
 * Sees that the engine has what this program carries: nothing is done where it has just these images, and older or newer ones of the same
 * names give way. Without images inside, those that are there count. Throws `image-not-found` where they are for another architecture.
 */
export async function bringImages({ runtime, shell, progress }: Order): Promise<void> {
  const description = shell.carried("carried.about");
  const archive = shell.carried("images.zst");
  if (description === undefined || archive === undefined) return;
  const about: CarriedImages = JSON.parse(await description.text());
  const missing = await missingOf(runtime, about);
  if (missing.length === 0) return;
  const { architecture } = await runtime.check();
  if (architecture !== about.architecture) return await requireOthers(runtime, about, architecture);
  const step = progress.begin("Sett's images", `importing ${megabytes(about.bytes)} from this program`);
  let read = 0;
  const counted = async function* () {
    for await (const chunk of archive.stream()) {
      read += chunk.length;
      step.update(`importing ${megabytes(about.bytes)} from this program: ${Math.floor((100 * read) / about.bytes)} %`);
      yield chunk;
    }
  };
  const tags = about.images.flatMap((image) => image.tags);
  await runtime.images.load(unpacked(counted()), { tags, signal: shell.interrupted });
  step.done("imported");
}

async function* unpacked(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* Readable.from(archive).pipe(createZstdDecompress());
  } catch (cause) {
    throw new SettError("command-failed", `The images inside this program cannot be read: ${messageOf(cause)}.`, {
      hint: "Its file is damaged. Get it again, and compare it with SHA256SUMS.",
      cause,
    });
  }
}

async function missingOf(runtime: ContainerRuntime, { images }: CarriedImages): Promise<string[]> {
  const found = await Promise.all(
    images.flatMap(({ tags, inputs }) =>
      tags.map(async (tag) => ((await runtime.images.find(tag))?.labels[inputsLabel] === inputs ? [] : [tag])),
    ),
  );
  return found.flat();
}

/** What was built for that engine in Sett's sources is as good. */
async function requireOthers(runtime: ContainerRuntime, { images, architecture }: CarriedImages, needed: string): Promise<void> {
  const found = await Promise.all(images.flatMap(({ tags }) => tags.map((tag) => runtime.images.find(tag))));
  if (found.every((image) => image?.architecture === needed)) return;
  throw new SettError(
    "image-not-found",
    `The Docker Engine runs on ${needed}, and this sett carries images for ${architecture}.`,
    {
      hint: `Use the sett for ${needed} there.`,
    },
  );
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
