// Tries whether containers of an Engine can have a folder of this machine: a file that was just
// written there is read back through a container that never runs. Neither the Engine's address nor
// a path says it: a machine elsewhere may have the same path, and that of a desktop shares folders.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type Docker from "dockerode";
import type { PartLabels } from "../labels.ts";
import { readTar } from "../tar.ts";
import { explain, reasonOf, statusOf } from "./errors.ts";
import { makeTrial } from "./trial-container.ts";

const target = "/sett-trial";
const doing = "try whether it sees this machine's files";

export async function seesFolder(
  docker: Docker,
  folder: string,
  labels: PartLabels,
): Promise<boolean> {
  const secret = randomUUID();
  const place = await mkdtemp(join(folder, "sett-trial-"));
  try {
    await writeFile(join(place, "file"), secret);
    const settings: Docker.HostConfig = {
      Mounts: [{ Type: "bind", Source: place, Target: target, ReadOnly: true }],
    };
    await using trial = await makeTrial(docker, { labels, settings, doing, isRefusal });
    return trial !== undefined && (await fileIn(trial.container)) === secret;
  } finally {
    await rm(place, { recursive: true, force: true });
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
