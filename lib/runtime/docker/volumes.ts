// Volumes: creates and fills them, sets their owner, removes them.
import { randomBytes, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { joined } from "../../model/one-error.ts";
import type { Owner } from "../container-spec.ts";
import { madeLabel, writeLabels } from "../labels.ts";
import { idleName } from "../names.ts";
import { notOurs } from "../not-ours.ts";
import { ownPart } from "../own-part.ts";
import type { PlannedVolume } from "../part-plan.ts";
import { archiveEnd, paddingOf, readTar, writeHeader } from "../tar.ts";
import { volumeMount } from "./container-options.ts";
import { removeSpent } from "./containers.ts";
import { ask, askIfThere, explain, statusOf } from "./errors.ts";
import { folderArchive } from "./folder-archive.ts";
import { afterLostContainer, afterLostVolume, left } from "./lost-answers.ts";

export async function makeVolume(
  docker: Docker,
  volume: PlannedVolume,
): Promise<"created" | "kept"> {
  const { name, owner, image, content, memoryBytes } = volume;
  const made = await createVolume(docker, volume);
  try {
    if (content !== undefined) await fillVolume(docker, name, content);
    else if (memoryBytes === undefined && owner !== undefined && image !== undefined)
      await prepareVolume(docker, name, { owner, image });
  } catch (error) {
    if (made === "created") await removeUnfilled(docker, name, error);
    throw error;
  }
  return made;
}

/**
 * No later step knows of the volume: an Engine that refuses once is asked once more. Throws where
 * it stays, with `why` it is not filled.
 */
async function removeUnfilled(docker: Docker, name: string, why: unknown): Promise<void> {
  try {
    await removeVolume(docker, name).catch(() => removeVolume(docker, name));
  } catch (because) {
    // The next `sett up` would take it for one that is filled, and `sett down` keeps some.
    const failure = explain(why, `make the volume ${name}`);
    throw joined(failure, left({ sort: "volume", name }, because));
  }
}

/** `mount`: what is mounted in its place, as for the Engine's own driver. */
export async function createVolume(
  docker: Docker,
  { name, labels, owner, memoryBytes }: PlannedVolume,
  mount = memoryBytes === undefined || owner === undefined
    ? undefined
    : memoryOptions({ owner, sizeBytes: memoryBytes }),
): Promise<"created" | "kept"> {
  // The Engine's own create is silent about a volume that exists, and leaves its labels as they
  // are.
  const existing = await askIfThere(`look for the volume ${name}`, () =>
    docker.getVolume(name).inspect(),
  );
  if (existing === undefined) {
    const Labels = writeLabels(labels);
    const options = {
      Name: name,
      Labels,
      ...(mount && { Driver: "local", DriverOpts: mount }),
    };
    await docker.createVolume(options).catch(async (why: unknown) => {
      const doing = `create the volume ${name}`;
      throw await afterLostVolume(docker, { why, doing, name, labels: Labels });
    });
    return "created";
  }
  const found = ownPart({ name, labels: existing.Labels });
  const isOwn =
    found?.instance === labels.instance &&
    found.component === labels.component &&
    found.id === labels.id;
  if (isOwn) return "kept";
  throw notOurs([{ sort: "volume", name }]);
}

type MemoryVolume = { owner: Owner; sizeBytes: number };

/** As for `mount`. */
function memoryOptions({ owner: { uid, gid }, sizeBytes }: MemoryVolume): Record<string, string> {
  const o = `size=${sizeBytes},uid=${uid},gid=${gid},mode=0700,noexec,nosuid,nodev`;
  return { type: "tmpfs", device: "tmpfs", o };
}

async function fillVolume(
  docker: Docker,
  volume: string,
  from: { image: string; path: string; readable?: string },
): Promise<void> {
  const { image, path, readable } = from;
  // An empty volume is filled when a container is created with it: it need not be started.
  await withIdleContainer(
    docker,
    volume,
    { image, target: path, isFilled: true },
    async (container) => {
      if (readable !== undefined) await makeReadable(container, path, readable);
    },
  );
}

/** The Engine puts the file back with another mode: nothing of the image needs to run. */
async function makeReadable(
  container: Docker.Container,
  folder: string,
  file: string,
): Promise<void> {
  await ask(`make ${folder}/${file} readable`, async () => {
    // The Engine takes nothing for a container while it gives something of it: all is read first.
    const archive = Readable.from(await container.getArchive({ path: `${folder}/${file}` }));
    const parts = await Array.fromAsync(readableFile(archive));
    await container.putArchive(Readable.from(parts), { path: folder });
  });
}

/** An archive of one file, which everybody may read and run. */
async function* readableFile(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const { name, kind, size, content } of readTar(archive)) {
    if (kind !== "0") continue;
    yield writeHeader({ name, kind, size, mode: 0o555, owner: { uid: 0, gid: 0 } });
    yield* content;
    yield Buffer.alloc(paddingOf(size));
  }
  yield archiveEnd;
}

const ownedFolder = "sett-volume";

/** `inner`: folders to be made in it. */
type Prepared = { owner: Owner; image: string; inner?: readonly string[] };

/**
 * An empty volume belongs to root. Unpacking an archive into a container that never runs changes
 * its owner: the Engine does the work, so nothing in the image is needed. The archive names the
 * mount point and is unpacked at `/`, because the Engine skips an entry for the folder that it
 * unpacks into. An access control list that a command has set for new files goes with it; not each
 * file system has such.
 */
export async function prepareVolume(
  docker: Docker,
  volume: string,
  { owner, image, inner = [] }: Prepared,
): Promise<void> {
  await withIdleContainer(
    docker,
    volume,
    { image, target: `/${ownedFolder}`, isFilled: false },
    async (container) => {
      const unpack = (hasList: boolean) =>
        container.putArchive(folderArchive(ownedFolder, owner, hasList, inner), { path: "/" });
      await ask(`set the owner of the volume ${volume}`, () =>
        unpack(true).catch(() => unpack(false)),
      );
    },
  );
}

type IdleUse = { image: string; target: string; isFilled: boolean };

/** Creates a container for the effects of its creation, and removes it: it never runs. */
async function withIdleContainer(
  docker: Docker,
  volume: string,
  how: IdleUse,
  use: (container: Docker.Container) => Promise<void>,
): Promise<void> {
  await using idle = await openIdleContainer(docker, volume, how);
  await use(idle.container);
}

/** The same until it is disposed of. */
export async function openIdleContainer(
  docker: Docker,
  volume: string,
  { image, target, isFilled }: IdleUse,
): Promise<AsyncDisposable & { container: Docker.Container }> {
  // With the volume's labels, so that removing the instance also removes it if this process dies in
  // between.
  const { Labels: labels } = await ask(`look for the volume ${volume}`, () =>
    docker.getVolume(volume).inspect(),
  );
  // Without a name of ours it would belong to no instance where this process dies in between.
  const name = idleName(volume, randomBytes(4).toString("hex"));
  const made = randomUUID();
  const options = {
    name,
    Image: image,
    Labels: { ...labels, [madeLabel]: made },
    // The Engine asks for a command, even where none will run.
    Entrypoint: ["/never-run"],
    HostConfig: { Mounts: [volumeMount(volume, target, { isReadOnly: false, isFilled })] },
  };
  const container = await docker.createContainer(options).catch(async (why: unknown) => {
    const doing = `use the volume ${volume} with ${image}`;
    throw await afterLostContainer(docker, { why, doing, name, made });
  });
  const remove = () => removeSpent(docker, { id: container.id, name });
  return { container, [Symbol.asyncDispose]: remove };
}

export async function removeVolume(docker: Docker, name: string): Promise<void> {
  try {
    await docker.getVolume(name).remove();
  } catch (error) {
    if (statusOf(error) === 404) return;
    throw (await stillUsed(docker, name, error)) ?? explain(error, `remove the volume ${name}`);
  }
}

/** Undefined where no container has it. The Engine names them by their ids alone. */
async function stillUsed(
  docker: Docker,
  name: string,
  cause: unknown,
): Promise<SettError | undefined> {
  if (statusOf(cause) !== 409) return undefined;
  const found = await docker
    .listContainers({ all: true, filters: { volume: [name] } })
    .catch(() => []);
  const users = found.map(({ Id, Names }) => Names[0]?.slice(1) ?? Id.slice(0, 12));
  if (users.length === 0) return undefined;
  return new SettError(
    "docker-failed",
    `The volume ${name} is still used by ${users.join(", ")}.`,
    {
      hint: `Sett does not count this container as its own. When you need it no more, remove it (\`docker rm --force ${users[0]}\`), then try the same command again.`,
      cause,
    },
  );
}
