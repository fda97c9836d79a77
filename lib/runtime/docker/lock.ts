// A lock that every user of an Engine meets, wherever they are: a container that has the lock's name, and reads from our connection until that
// ends. With the connection's end, however its process has ended, the container ends too, and the Engine removes it. No clock, process number
// or file is looked at.
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { carrierImage } from "../names.ts";
import type { Lock } from "../port.ts";
import { removeContainer } from "./containers.ts";
import { ask, askIfThere, explain, statusOf } from "./errors.ts";

const heldByLabel = "dev.sett.held-by";
const pollMs = 50;
/** The container of one who has just died takes a moment to go, and one that was just made takes a moment to run. */
const patienceMs = 5_000;

/** Throws `image-not-found` where nobody holds it and there is no image to hold it with. */
export async function takeLock(docker: Docker, name: string, who: string): Promise<Lock> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const own = await createHolder(docker, name, who);
    const lock = own && (await startHolder(docker, own, name));
    if (lock !== undefined) return lock;
    const found = await askIfThere(`look at the lock ${name}`, () => docker.getContainer(name).inspect());
    if (found !== undefined && Date.now() >= deadline) {
      if (found.State.Running) return { outcome: "taken", by: found.Config.Labels[heldByLabel] ?? "" };
      // Whoever made it died before it ran. By its id, and not by force: that fails if it does run by now.
      await docker
        .getContainer(found.Id)
        .remove()
        .catch(() => undefined);
    }
    await sleep(pollMs);
  }
}

/** Undefined when somebody has the name. */
async function createHolder(docker: Docker, name: string, who: string): Promise<Docker.Container | undefined> {
  const isTaken = (await askIfThere(`look at the lock ${name}`, () => docker.getContainer(name).inspect())) !== undefined;
  if (isTaken) return undefined;
  const image = await findHolderImage(docker);
  try {
    return await docker.createContainer({
      name,
      Image: image,
      Labels: { [heldByLabel]: who },
      // Any program does that reads to the end of its input, and this image has it.
      Entrypoint: ["/cub/git", "hash-object", "--stdin"],
      OpenStdin: true,
      StdinOnce: true,
      AttachStdin: true,
      HostConfig: {
        AutoRemove: true,
        NetworkMode: "none",
        ReadonlyRootfs: true,
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
      },
    });
  } catch (error) {
    if (statusOf(error) === 409) return undefined;
    throw explain(error, `make the lock ${name}`);
  }
}

/** Undefined when somebody took it for a dead one's, and removed it. */
async function startHolder(docker: Docker, holder: Docker.Container, name: string): Promise<Lock | undefined> {
  try {
    const connection = await holder.attach({ stream: true, stdin: true, hijack: true });
    // When the Engine ends it, what is done under the lock fails by itself.
    connection.on("error", () => undefined);
    await holder.start();
    const letGo = async () => {
      await removeContainer(docker, holder.id).finally(() => connection.end());
    };
    return { outcome: "held", [Symbol.asyncDispose]: letGo };
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw explain(error, `take the lock ${name}`);
  }
}

/** Of any version, but of no other architecture: those name it. */
async function findHolderImage(docker: Docker): Promise<string> {
  // What only bears the name, as a stand-in, may lack the program.
  const filters = { reference: [carrierImage], label: [`org.opencontainers.image.title=${carrierImage}`] };
  const images = await ask("list its images", () => docker.listImages({ filters }));
  const image = images.find(({ RepoTags }) => RepoTags?.some((tag) => !/-(?:amd64|arm64)$/.test(tag)));
  if (image !== undefined) return image.Id;
  throw new SettError("image-not-found", `There is no image ${carrierImage} to hold a lock with.`, {
    hint: "`sett up` of a released sett brings it. Built from sources: `npx just docker-orchestrator docker-cub` there",
  });
}
