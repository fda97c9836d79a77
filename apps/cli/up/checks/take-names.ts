// Finds what has a name that the instance needs and is not its own, before anything is built; and
// remembers the images that are its own.
import type { KeptId } from "../../../../lib/git/repository/kept-id.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { messageOf } from "../../../../lib/model/errors.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import { componentLabel, idLabel, instanceLabel } from "../../../../lib/runtime/labels.ts";
import { agentImageTag, devcontainerTag } from "../../../../lib/runtime/names.ts";
import type { EngineRuntime, ImageInfo, Stranger } from "../../../../lib/runtime/port.ts";
import type { Shell } from "../../terminal/shell.ts";
import { requireNoStrangers } from "./checks.ts";

type Input = {
  runtime: Pick<EngineRuntime, "engine">;
  instance: InstanceName;
  config: SettConfig;
  kept: KeptId;
  id: string;
};

/** Throws `instance-taken`. Writes to the repository's configuration only. */
export async function takeNames(
  input: Input,
  { messages }: Pick<Shell, "messages">,
): Promise<void> {
  const { runtime, instance, config, kept, id: ofInstance } = input;
  const images = await kept.list("image");
  const found = await imagesOf(input);
  const begun = await kept.list("building");
  const isOwn = (tag: string, image: ImageInfo) =>
    images.length > 0 && !begun.some((one) => tag === one || tag === devcontainerTag(one))
      ? images.includes(image.id)
      : hasOwnLabels(image, instance, ofInstance);
  requireNoStrangers(instance, config, [
    ...(await runtime.engine.strangers(instance)),
    ...found.flatMap(([name, image]): Stranger[] => {
      const adoption = `git config --add sett.${instance}.image ${image.id}`;
      return isOwn(name, image) ? [] : [{ sort: "image", name, adoption }];
    }),
  ]);
  try {
    for (const [, { id }] of found) await kept.add("image", id);
  } catch (error) {
    messages.warn(
      `What belongs to ${instance} is not in the repository's configuration: ${messageOf(error)}`,
    );
  }
}

/** Finds the images that have a name which an agent's image needs. */
async function imagesOf({ runtime, instance, config }: Input): Promise<[string, ImageInfo][]> {
  const built = config.agents.filter(({ source }) => source.kind !== "image");
  const tags = built.flatMap(({ name, source }) => {
    const tag = agentImageTag(instance, name);
    return source.kind === "devcontainer" ? [tag, devcontainerTag(tag)] : [tag];
  });
  const found = await Promise.all(
    tags.map(async (tag) => ({ tag, image: await runtime.engine.images.find(tag) })),
  );
  return found.flatMap(({ tag, image }): [string, ImageInfo][] =>
    image === undefined ? [] : [[tag, image]],
  );
}

/** An image that a person has made of a container of ours (`docker commit`) has a component. */
function hasOwnLabels({ labels }: ImageInfo, instance: InstanceName, id: string): boolean {
  if (labels[instanceLabel] !== instance || labels[componentLabel] !== undefined) return false;
  return labels[idLabel] === id;
}
