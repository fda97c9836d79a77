// A file of an image, out of a container of it that never runs: what the image is need not be run
// to be known.
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type Docker from "dockerode";
import { madeLabel } from "../labels.ts";
import { readTar } from "../tar.ts";
import { removeSpent } from "./containers.ts";
import { ask, askIfThere } from "./errors.ts";
import { afterLostContainer } from "./lost-answers.ts";

/** A larger file is none that was meant. */
const maxBytes = 256 * 1024;

/** Undefined where the image has no such file, or one of more than 256 KiB. */
export async function readImageFile(
  docker: Docker,
  image: string,
  path: string,
): Promise<string | undefined> {
  const doing = `look into the image ${image}`;
  const made = randomUUID();
  const name = `sett-look-${made.slice(0, 8)}`;
  const container = await ask(doing, () =>
    docker
      .createContainer({
        ...{ name, Image: image, Labels: { [madeLabel]: made } },
        ...{ Entrypoint: ["/never-run"], NetworkDisabled: true },
      })
      .catch(async (error: unknown) => {
        throw await afterLostContainer(docker, { why: error, doing, name, made });
      }),
  );
  await using _spent = {
    [Symbol.asyncDispose]: () => removeSpent(docker, { id: container.id, name }),
  };
  return await askIfThere(doing, async () => {
    const archive = Readable.from(await container.getArchive({ path }));
    for await (const { kind, size, content } of readTar(archive))
      return kind === "0" && size <= maxBytes ? await text(content) : undefined;
    return undefined;
  });
}
