// An image as a package: what its Engine has of it, for sett.lock.
import { readAgentYml } from "../../../lib/config/read-packages.ts";
import { rightsOf } from "../../../lib/config/with-packages.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { type LockedPackage, packageFile } from "../../../lib/model/package.ts";
import { requireEngine } from "../instance/runtimes.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";

/** An image has its agent.yml there. */
const place = `/app/${packageFile}`;

/**
 * Pulls it where the Engine lacks it. Throws `image-not-found`, and `usage` for one that is no
 * package.
 */
export async function seeImage(use: string, shell: Shell): Promise<LockedPackage> {
  const { images } = (await requireEngine(shell)).engine;
  const found = (await images.find(use)) ?? (await pulled(use, images, shell));
  const agent = await images.readFile(found.id, place);
  if (agent === undefined)
    throw new SettError("usage", `The image ${use} has no ${place}, so it is no package.`, {
      hint: "Write what sett would read there into sett.yml: `image`, `command` and `bids` (docs/guides/write-an-agent.md).",
    });
  const read = readAgentYml(agent, `${use}:${place}`);
  if ("problem" in read) throw new SettError("usage", `${use} ${read.problem}.`);
  // An image that no registry has is known by its own id.
  const digest = found.digest?.split("@")[1] ?? found.id;
  return { digest, asks: rightsOf(read.file), image: found.digest ?? found.id, agent };
}

type Images = Awaited<ReturnType<typeof requireEngine>>["engine"]["images"];

async function pulled(use: string, images: Images, { err, interrupted }: Shell) {
  using progress = new Progress(err);
  const step = progress.begin(use, "pulling");
  const onProgress = (line: string) => step.update(line);
  const image = await images.pull(use, { onProgress, signal: interrupted });
  step.done("pulled");
  return image;
}
