// A lock for all users of an Engine, on any machine: a container that has the lock's name, and
// reads from our connection until that ends. With the connection, however our process has ended,
// the container ends too, and the Engine removes it. No clock, process number or file is used. A
// connection that was cut while our process lives is noticed, and the lock taken again.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import { madeLabel } from "../labels.ts";
import { carrierImage } from "../names.ts";
import { notOurs } from "../not-ours.ts";
import type { HeldLock, Lock, LostLock } from "../port.ts";
import { removeContainer, removeSpent } from "./containers.ts";
import { ask, askIfThere, explain, statusOf } from "./errors.ts";
import { afterLostContainer } from "./lost-answers.ts";

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
/**
 * So often something is sent, which the container reads and forgets: proxies cut a connection that
 * is idle, and a connection that is gone without a sign is noticed only by sending.
 */
const keepAliveMs = 10_000;

/** Throws `image-not-found` where the lock is free and there is no image to hold it with. */
export async function acquireLock(
  docker: Docker,
  name: string,
  holder: string,
  signal?: AbortSignal,
): Promise<Lock> {
  const first = await acquireOnce(docker, name, holder, signal);
  return first.outcome === "taken" ? first : keep(first, { docker, name, holder });
}

type HolderContainer = {
  outcome: "held";
  /** Resolves when the container has ended, or its connection. */
  ended: Promise<void>;
  release: () => Promise<void>;
};

type Wanted = { docker: Docker; name: string; holder: string };

/** Takes the lock again whenever its connection was cut, until it is released. */
function keep(first: HolderContainer, wanted: Wanted): HeldLock {
  const lost = new AbortController();
  const released = new AbortController();
  let current = first;
  const watch = async () => {
    for (;;) {
      await current.ended;
      if (released.signal.aborted) return;
      await current.release();
      const again = await regain(wanted, released.signal);
      if (again === undefined) return;
      if (!("outcome" in again)) return lost.abort(again);
      current = again;
    }
  };
  const watching = watch();
  return {
    outcome: "held",
    lost: lost.signal,
    [Symbol.asyncDispose]: async () => {
      released.abort();
      await current.release();
      // What it was about to take again is released, too.
      await watching;
      await current.release();
    },
  };
}

/**
 * Goes on for a while where the Engine fails: what has cut the connection may be the Engine's
 * restart. Undefined when the lock is not needed any more.
 */
async function regain(
  { docker, name, holder }: Wanted,
  released: AbortSignal,
): Promise<HolderContainer | LostLock | undefined> {
  const deadline = Date.now() + giveUpMs;
  for (;;) {
    try {
      const lock = await acquireOnce(docker, name, holder, released);
      return lock.outcome === "held" ? lock : { by: lock.by };
    } catch (error) {
      if (released.aborted) return undefined;
      if (Date.now() >= deadline) return { error };
    }
    await sleep(pollMs);
  }
}

async function acquireOnce(
  docker: Docker,
  name: string,
  holder: string,
  signal?: AbortSignal,
): Promise<HolderContainer | Exclude<Lock, HeldLock>> {
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
  const image = await findCarrierImage(docker);
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
    const doing = `make the lock ${name}`;
    throw await afterLostContainer(docker, { why: error, doing, name, made });
  }
}

/** Undefined when another process has removed it, because it looked abandoned. */
async function startHolder(
  docker: Docker,
  holder: Docker.Container,
  name: string,
  signal: AbortSignal | undefined,
): Promise<HolderContainer | undefined> {
  const abort = withoutUndefined({ abortSignal: signal });
  let connection: Connection | undefined;
  try {
    connection = await holder.attach({ stream: true, stdin: true, hijack: true, ...abort });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    void endOf(connection).then(end);
    await holder.start(abort);
    const alive = setInterval(() => connection?.write("\n"), keepAliveMs);
    alive.unref();
    void ended.then(() => clearInterval(alive));
    const release = async () => {
      clearInterval(alive);
      // Where it cannot be removed, the end of the connection ends it a moment later.
      await removeContainer(docker, holder.id, AbortSignal.timeout(releaseMs)).catch(
        () => undefined,
      );
      close(connection);
      // One that was closed here need not say so.
      end();
    };
    return { outcome: "held", ended, release };
  } catch (error) {
    // An open connection would keep this program from ending.
    close(connection);
    // It would keep the name, and nothing would end it.
    await removeSpent(docker, { id: holder.id, name }).catch(() => undefined);
    if (statusOf(error) === 404) return undefined;
    throw explain(error, `acquire the lock ${name}`, signal);
  }
}

type Connection = NodeJS.ReadWriteStream & { destroy?(): unknown };

/** The Engine ends it with the container, too. */
function endOf(connection: Connection): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["error", "end", "close"]) connection.on(event, () => resolve());
    // Without a reader a stream does not come to its end.
    connection.resume();
  });
}

/** At once: the other end may never close its half. */
function close(connection: Connection | undefined): void {
  connection?.destroy?.();
}

/** An image of any version, but of this architecture: the tags of others name theirs. */
export async function findCarrierImage(docker: Docker): Promise<string> {
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
  throw new SettError("image-not-found", `There is no image ${carrierImage} on this Engine.`, {
    hint: "`sett up` of a released sett brings it. Built from sources: `npx just build` there",
  });
}
