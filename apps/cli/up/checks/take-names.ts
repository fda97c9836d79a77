// Finds what has a name that the instance needs and is not its own, before anything is built; and
// remembers what it takes over from the version before, once.
import type { HostRepository } from "../../../../lib/git/repository/host-repository.ts";
import type { KeptId } from "../../../../lib/git/repository/kept-id.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { messageOf } from "../../../../lib/model/errors.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import { componentLabel, idLabel, instanceLabel } from "../../../../lib/runtime/labels.ts";
import { agentImageTag, devcontainerTag } from "../../../../lib/runtime/names.ts";
import type {
  EngineRuntime,
  ImageInfo,
  InstanceParts,
  Stranger,
  VolumePart,
} from "../../../../lib/runtime/port.ts";
import {
  adoptionOf,
  isOfVersionBefore,
  othersAmong,
  withoutId,
} from "../../instance/without-id.ts";
import type { Shell } from "../../terminal/shell.ts";
import { requireNoStrangers } from "./checks.ts";

type Input = {
  runtime: Pick<EngineRuntime, "engine">;
  repository: HostRepository;
  instance: InstanceName;
  config: SettConfig;
  kept: KeptId;
  id: string;
  before: InstanceParts | undefined;
};

/** `adopted`: volumes without an id that are the instance's all the same. */
export type Taken = { adopted: VolumePart[] };

/** Throws `instance-taken`. Writes to the repository's configuration only. */
export async function takeNames(
  input: Input,
  { messages }: Pick<Shell, "messages">,
): Promise<Taken> {
  const { runtime, repository, instance, config, kept, before } = input;
  const unmarked = before === undefined ? [] : withoutId(before);
  const isUpgrade = await isOfVersionBefore(repository, instance, kept);
  const [volumes, images] = [new Set(await kept.list("volume")), await kept.list("image")];
  const others = await othersAmong(unmarked, { repository, instance, kept });
  const found = await imagesOf(input);
  const begun = await kept.list("building");
  const isOwn = (tag: string, image: ImageInfo) =>
    images.length > 0 && !begun.some((one) => tag === one || tag === devcontainerTag(one))
      ? images.includes(image.id)
      : hasOwnLabels(image, { instance, id: input.id, isUpgrade });
  requireNoStrangers(instance, config, [
    ...(await runtime.engine.strangers(instance)),
    ...others,
    ...found.flatMap(([name, image]): Stranger[] =>
      isOwn(name, image)
        ? []
        : [{ sort: "image", name, adoption: adoptionOf(instance, "image", image.id) }],
    ),
  ]);
  const adopted = unmarked.filter(({ name }) => !others.some((other) => other.name === name));
  const isNew = ({ name }: VolumePart) => !volumes.has(name);
  if (adopted.some(isNew))
    messages.note(
      `These volumes are of a version before, and are ${instance}'s from now on: ${names(adopted.filter(isNew))}.`,
    );
  try {
    for (const { name } of adopted) await kept.add("volume", name);
    for (const [, { id }] of found) await kept.add("image", id);
  } catch (error) {
    messages.warn(
      `What belongs to ${instance} is not in the repository's configuration: ${messageOf(error)}`,
    );
  }
  return { adopted };
}

/** Finds the images that have a name which an agent's image needs. */
async function imagesOf({ runtime, instance, config }: Input): Promise<[string, ImageInfo][]> {
  const built = config.agents.filter(({ source }) => source.kind !== "image");
  const tags = built.flatMap(({ name, source }) => {
    const tag = agentImageTag(instance, name);
    return source.kind === "build" ? [tag] : [tag, devcontainerTag(tag)];
  });
  const found = await Promise.all(
    tags.map(async (tag) => ({ tag, image: await runtime.engine.images.find(tag) })),
  );
  return found.flatMap(({ tag, image }): [string, ImageInfo][] =>
    image === undefined ? [] : [[tag, image]],
  );
}

/** An image that a person has made of a container of ours (`docker commit`) has a component. */
function hasOwnLabels(
  { labels }: ImageInfo,
  { instance, id, isUpgrade }: { instance: InstanceName; id: string; isUpgrade: boolean },
): boolean {
  if (labels[instanceLabel] !== instance || labels[componentLabel] !== undefined) return false;
  return labels[idLabel] === undefined ? isUpgrade : labels[idLabel] === id;
}

function names(volumes: readonly VolumePart[]): string {
  return volumes.map(({ name }) => name).join(", ");
}
