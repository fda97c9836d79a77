// The images inside this program: an Engine needs them before any part of Sett can run there.
import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { clauseOf, SettError } from "../../../../lib/model/errors.ts";
import type { EngineRuntime } from "../../../../lib/runtime/port.ts";
import type { Progress } from "../../terminal/progress.ts";
import type { Shell } from "../../terminal/shell.ts";
import { inputsLabel } from "./inputs-label.ts";

/** The description that `.ci/carry.ts` writes beside the archive. */
export type CarriedImages = {
  /** `amd64`, `arm64`, as in image names. */
  architecture: string;
  /** The size of the compressed archive. */
  bytes: number;
  /**
   * `inputs`: the label of these images. An image in the Engine with the same label is up to date.
   */
  images: { tags: string[]; inputs: string }[];
};

type Input = {
  runtime: EngineRuntime;
  shell: Pick<Shell, "carried" | "interrupted">;
  progress: Progress;
};

/**
 * Imports the images into the Engine, unless it has exactly these already. Older or newer images of
 * the same names are replaced. A program without images inside uses those of the Engine. Throws
 * `image-not-found` where they are for another architecture.
 */
export async function importImages({ runtime, shell, progress }: Input): Promise<void> {
  const description = shell.carried("carried.about");
  const archive = shell.carried("images.zst");
  if (description === undefined || archive === undefined) return;
  const about: CarriedImages = JSON.parse(await description.text());
  const missing = await missingOf(runtime, about);
  if (missing.length === 0) return;
  const { architecture } = await runtime.observe.check();
  if (architecture !== about.architecture) return await requireOthers(runtime, about, architecture);
  const step = progress.begin(
    "Sett's images",
    `importing ${megabytes(about.bytes)} from this program`,
  );
  let read = 0;
  const counted = async function* () {
    for await (const chunk of archive.stream()) {
      read += chunk.length;
      step.update(
        `importing ${megabytes(about.bytes)} from this program: ${Math.floor((100 * read) / about.bytes)} %`,
      );
      yield chunk;
    }
  };
  const tags = about.images.flatMap((image) => image.tags);
  await runtime.engine.images.load(unpacked(counted()), { tags, signal: shell.interrupted });
  step.done("imported");
}

async function* unpacked(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* Readable.from(archive).pipe(createZstdDecompress());
  } catch (cause) {
    throw new SettError(
      "command-failed",
      `The images inside this program cannot be read: ${clauseOf(cause)}.`,
      {
        hint: "The file of the program is damaged. Download it again, and compare it with SHA256SUMS.",
        cause,
      },
    );
  }
}

async function missingOf(runtime: EngineRuntime, { images }: CarriedImages): Promise<string[]> {
  const found = await Promise.all(
    images.flatMap(({ tags, inputs }) =>
      tags.map(async (tag) =>
        (await runtime.engine.images.find(tag))?.labels[inputsLabel] === inputs ? [] : [tag],
      ),
    ),
  );
  return found.flat();
}

/** Accepts images that were built for that Engine from Sett's sources. */
async function requireOthers(
  runtime: EngineRuntime,
  { images, architecture }: CarriedImages,
  needed: string,
): Promise<void> {
  const found = await Promise.all(
    images.flatMap(({ tags }) => tags.map((tag) => runtime.engine.images.find(tag))),
  );
  if (found.every((image) => image?.architecture === needed)) return;
  throw new SettError(
    "image-not-found",
    `The Docker Engine runs on ${needed}, and this sett carries images for ${architecture}.`,
    {
      hint: `Use the sett for ${needed} with this Engine.`,
    },
  );
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
