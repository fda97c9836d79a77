// Tries whether containers of an Engine can have a folder of this machine: a file that was just
// written there is read back through a container that never runs. Neither the Engine's address nor
// a path says it: a machine elsewhere may have the same path, and that of a desktop shares folders.
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type Docker from "dockerode";
import { labelsFor, madeLabel, type PartLabels, writeLabels } from "../labels.ts";
import { carrierVolumeName, idleName } from "../names.ts";
import { readTar } from "../tar.ts";
import { removeSpent } from "./containers.ts";
import { explain, reasonOf, statusOf } from "./errors.ts";
import { findCarrierImage } from "./lock.ts";
import { afterLostContainer } from "./lost-answers.ts";

const target = "/sett-trial";
const doing = "try whether it sees this machine's files";

export async function seesFolder(
  docker: Docker,
  folder: string,
  labels: PartLabels,
): Promise<boolean> {
  const image = await findCarrierImage(docker);
  const secret = randomUUID();
  const place = await mkdtemp(join(folder, "sett-trial-"));
  try {
    await writeFile(join(place, "file"), secret);
    const made = await makeTrial(docker, { image, place, labels });
    if (made === undefined) return false;
    const { container, name } = made;
    await using _trial = {
      [Symbol.asyncDispose]: () => removeSpent(docker, { id: container.id, name }),
    };
    return (await fileIn(container)) === secret;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

type Trial = { image: string; place: string; labels: PartLabels };

/** Undefined where the Engine has no such folder, or does not give it to containers. */
async function makeTrial(
  docker: Docker,
  { image, place, labels }: Trial,
): Promise<{ container: Docker.Container; name: string } | undefined> {
  const random = randomBytes(4).toString("hex");
  // With the name and the labels of a container of the instance, which would be removed with it.
  const name = idleName(carrierVolumeName(labels.instance, random), random);
  const made = randomUUID();
  const own = writeLabels(labelsFor(labels, { component: "carrier" }));
  try {
    const container = await docker.createContainer({
      name,
      Image: image,
      Labels: { ...own, [madeLabel]: made },
      Entrypoint: ["/never-run"],
      NetworkDisabled: true,
      HostConfig: { Mounts: [{ Type: "bind", Source: place, Target: target, ReadOnly: true }] },
    });
    return { container, name };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw await afterLostContainer(docker, { why: error, doing, name, made });
  }
}

/** Its desktop may keep a folder from containers, in words of its own. */
function isRefusal(error: unknown): boolean {
  const status = statusOf(error);
  return status === 400 || (status !== undefined && /mount|shared/i.test(reasonOf(error)));
}

/** Undefined where it is not there. */
async function fileIn(container: Docker.Container): Promise<string | undefined> {
  try {
    const archive = Readable.from(await container.getArchive({ path: `${target}/file` }));
    for await (const { content } of readTar(archive)) return await text(content);
    return undefined;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw explain(error, doing);
  }
}
