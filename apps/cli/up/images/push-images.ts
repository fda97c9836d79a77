// Gives the images of an instance to the registry from which a cluster pulls them. Each agent's
// gets the cub as its last layer. What runs is named by its digest, so that a name which means
// another image later changes nothing.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import { idLabel, instanceLabel } from "../../../../lib/runtime/labels.ts";
import type { EngineRuntime } from "../../../../lib/runtime/port.ts";
import type { Progress } from "../../terminal/progress.ts";
import type { Image, Images } from "./images.ts";

type EngineImages = EngineRuntime["engine"]["images"];

type Input = {
  runtime: EngineRuntime;
  instance: InstanceName;
  id: string;
  /** It may have a path. */
  registry: string;
  version: string;
  progress: Progress;
  signal: AbortSignal;
};

/** Throws `build-failed` and `image-not-found`. */
export async function pushImages(images: Images, input: Input): Promise<Images> {
  const pushed = new Map<string, Promise<Image>>();
  // Two agents may have the same image.
  const push = (image: Image, name: string, cub?: Image) => {
    const key = `${image.id} ${cub?.id}`;
    const found = pushed.get(key) ?? pushOne(input, image, name, cub);
    pushed.set(key, found);
    return found;
  };
  const own = async (image: Image | undefined, name: string) =>
    image === undefined ? undefined : await push(image, name);
  const { orchestrator, cub, redis, gateway, api } = images;
  const agents = Promise.all(
    [...images.agents].map(
      async ([name, image]) => [name, await push(image, `${input.instance}-${name}`, cub)] as const,
    ),
  );
  const beside = Promise.all(
    [...images.beside].map(
      async ([name, image]) => [name, await push(image, "sett-beside")] as const,
    ),
  );
  for (const each of [agents, beside]) each.catch(() => undefined);
  return {
    redis: await own(redis, "sett-redis"),
    orchestrator: await push(orchestrator, "sett-orchestrator"),
    gateway: await own(gateway, "sett-gateway"),
    api: await own(api, "sett-api"),
    cub,
    agents: new Map(await agents),
    beside: new Map(await beside),
  };
}

/** Returns the image as nodes pull it. Throws as above. */
export async function pushOne(
  { runtime, instance, id, registry, progress, signal }: Omit<Input, "version">,
  image: Image,
  name: string,
  cub?: Image,
): Promise<Image> {
  const { images } = runtime.engine;
  const step = progress.begin(name, "pushing its image");
  const onProgress = (line: string) => step.update(line);
  const repository = `${registry}/${name}`;
  const tag = `${repository}:${shortId(image)}${cub === undefined ? "" : `-${shortId(cub)}`}`;
  const labels = cub === undefined ? {} : { [instanceLabel]: instance, [idLabel]: id };
  const digest =
    (await pushedBefore(images, { repository, tag, labels })) ??
    (await buildAndPush(images, { image, cub, tag, labels }, { onProgress, signal }));
  step.done("image pushed");
  const reference = `${repository}@${digest}`;
  return { ...image, tag: reference, id: reference, digest: reference };
}

/** The tag names all that the image is made of. Undefined where the registry has to get it. */
async function pushedBefore(
  images: EngineImages,
  { repository, tag, labels }: { repository: string; tag: string; labels: Record<string, string> },
): Promise<string | undefined> {
  const found = await images.find(tag);
  const [name, digest] = found?.digest?.split("@") ?? [];
  const isSame = Object.entries(labels).every(([label, value]) => found?.labels[label] === value);
  if (name !== repository || digest === undefined || !isSame) return undefined;
  return (await images.isPushed(`${repository}@${digest}`)) ? digest : undefined;
}

type Layered = {
  image: Image;
  cub: Image | undefined;
  tag: string;
  labels: Record<string, string>;
};

async function buildAndPush(
  images: EngineImages,
  { image, cub, tag, labels }: Layered,
  progress: Parameters<EngineImages["push"]>[1],
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sett-push-"));
  try {
    const carried = cub === undefined ? "" : `COPY --from=${cub.tag} /cub /cub\n`;
    await writeFile(join(folder, "Dockerfile"), `FROM ${image.tag}\n${carried}`);
    const spec = { contextDir: folder, dockerfile: "Dockerfile", args: {}, tag, labels };
    await images.build(spec, progress);
    return await images.push(tag, progress);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function shortId({ id }: Image): string {
  return id.replace(/^sha256:/, "").slice(0, 12);
}
