// A lock for all users of an Engine, on any machine: a container that has the lock's name, and
// reads from our connection until that ends. With the connection, however our process has ended,
// the container ends too, and the Engine removes it. No clock, process number or file is used.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import { madeLabel } from "../labels.ts";
import { carrierImage } from "../names.ts";
import { notOurs } from "../not-ours.ts";
import type { Lock } from "../port.ts";
import { removeContainer } from "./containers.ts";
import { ask, askIfThere, explain, statusOf } from "./errors.ts";
import { isPerhapsDone, removeLostContainer } from "./lost-answers.ts";

const heldByLabel = "dev.sett.held-by";
const pollMs = 50;
/**
 * The container of a process that has just died needs a moment to end, and a new container needs a
 * moment to run.
 */
const patienceMs = 5_000;
/** After it the Engine contradicts itself, or does not remove what is left of the lock. */
const giveUpMs = 15_000;
/**
 * What a command has done is done: it does not wait longer for an Engine that does not take the
 * lock away.
 */
const releaseMs = 5_000;

/** Throws `image-not-found` where the lock is free and there is no image to hold it with. */
export async function acquireLock(
  docker: Docker,
  name: string,
  holder: string,
  signal?: AbortSignal,
): Promise<Lock> {
  const start = Date.now();
  const deadline = start + patienceMs;
  for (;;) {
    if (signal?.aborted) throw new SettError("interrupted", "Interrupted.");
    const own = await createHolder(docker, name, holder);
    const lock = own && (await startHolder(docker, own, name, signal));
    if (lock !== undefined) return lock;
    const found = await askIfThere(`look at the lock ${name}`, () =>
      docker.getContainer(name).inspect(),
    );
    if (found !== undefined && found.Config.Labels?.[heldByLabel] === undefined)
      throw notOurs([{ sort: "container", name }]);
    if (found !== undefined && Date.now() >= deadline) {
      if (found.State.Running)
        return { outcome: "taken", by: found.Config.Labels[heldByLabel] ?? "" };
      // The process that made it died before it ran. Removed by its id, and not by force: that
      // fails if the container runs by now.
      await docker
        .getContainer(found.Id)
        .remove()
        .catch(() => undefined);
    }
    if (Date.now() - start >= giveUpMs) {
      throw new SettError(
        "docker-failed",
        `Docker does not give the lock ${name}: a container of that name can neither be made nor removed.`,
        {
          hint: `Where \`docker ps --all --filter name=${name}\` shows one, and no \`sett up\` or \`sett down\` is at work: docker rm --force ${name}`,
        },
      );
    }
    await sleep(pollMs);
  }
}

/** Undefined when another container has the name. */
async function createHolder(
  docker: Docker,
  name: string,
  holder: string,
): Promise<Docker.Container | undefined> {
  const isTaken =
    (await askIfThere(`look at the lock ${name}`, () => docker.getContainer(name).inspect())) !==
    undefined;
  if (isTaken) return undefined;
  const image = await findHolderImage(docker);
  const made = randomUUID();
  try {
    return await docker.createContainer({
      name,
      Image: image,
      Labels: { [heldByLabel]: holder, [madeLabel]: made },
      // Any program that reads its input to the end would do; this image has this one.
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
    if (isPerhapsDone(error)) await removeLostContainer(docker, name, made);
    throw explain(error, `make the lock ${name}`);
  }
}

/** Undefined when another process has removed it, because it looked abandoned. */
async function startHolder(
  docker: Docker,
  holder: Docker.Container,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Lock | undefined> {
  const abort = withoutUndefined({ abortSignal: signal });
  let connection: Connection | undefined;
  try {
    connection = await holder.attach({ stream: true, stdin: true, hijack: true, ...abort });
    // When the Engine ends the connection, the work under the lock fails by itself.
    connection.on("error", () => undefined);
    await holder.start(abort);
    const release = async () => {
      // Where it cannot be removed, the end of the connection ends it a moment later.
      await removeContainer(docker, holder.id, AbortSignal.timeout(releaseMs)).catch(
        () => undefined,
      );
      close(connection);
    };
    return { outcome: "held", [Symbol.asyncDispose]: release };
  } catch (error) {
    // An open connection would keep this program from ending.
    close(connection);
    // It would keep the name, and nothing would end it.
    await removeContainer(docker, holder.id).catch(() => undefined);
    if (statusOf(error) === 404) return undefined;
    throw explain(error, `acquire the lock ${name}`, signal);
  }
}

type Connection = NodeJS.ReadWriteStream & { destroy?(): unknown };

/** At once: the other end may never close its half. */
function close(connection: Connection | undefined): void {
  connection?.destroy?.();
}

/** An image of any version, but of this architecture: the tags of others name theirs. */
async function findHolderImage(docker: Docker): Promise<string> {
  // An image that only has the name may not have the program.
  const filters = {
    reference: [carrierImage],
    label: [`org.opencontainers.image.title=${carrierImage}`],
  };
  const images = await ask("list its images", () => docker.listImages({ filters }));
  const image = images.find(({ RepoTags }) =>
    RepoTags?.some((tag) => !/-(?:amd64|arm64)$/.test(tag)),
  );
  if (image !== undefined) return image.Id;
  throw new SettError("image-not-found", `There is no image ${carrierImage} to hold a lock with.`, {
    hint: "`sett up` of a released sett brings it. Built from sources: `npx just build` there",
  });
}
