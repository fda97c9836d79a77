// Removes the images that were built for an instance's agents.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import { componentLabel, idLabel, instanceLabel } from "../labels.ts";
import { devcontainerTag, isAgentImageTag } from "../names.ts";
import { ask, askIfThere, explain, statusOf } from "./errors.ts";
import { findImage } from "./images.ts";

/**
 * The labels are not enough: an image that a person builds on an agent's image inherits them, and
 * may have a name like ours, or none. So an image must be one of those that are known by their ids,
 * or have a name of those whose building was begun; where no id is known, a name like ours. One
 * that cannot be removed does not stop the removal of the others; the first failure is thrown at
 * the end.
 */
export async function removeBuiltImages(
  docker: Docker,
  instance: InstanceName,
  { id, ids, begun }: { id: string | undefined; ids: readonly string[]; begun: readonly string[] },
): Promise<string[]> {
  const images = await ask(`list the images of ${instance}`, () =>
    docker.listImages({ filters: { label: [`${instanceLabel}=${instance}`] } }),
  );
  const unanswered = begun.flatMap((tag) => [tag, devcontainerTag(tag)]);
  const own = images.filter(({ Id, Labels, RepoTags }) => {
    // Only containers have that label: the image was made of one of them (`docker commit`), by a
    // person.
    const isCommitted = Labels?.[componentLabel] !== undefined;
    const isLike = id === undefined || Labels?.[idLabel] === id;
    const isBegun = isLike && named(RepoTags).some((tag) => unanswered.includes(tag));
    return !isCommitted && (ids.includes(Id) || isBegun || (ids.length === 0 && isLike));
  });
  const tags = own.flatMap(({ RepoTags }) =>
    named(RepoTags).filter((tag) => isAgentImageTag(instance, tag)),
  );
  const removed: string[] = [];
  const failures: unknown[] = [];
  // One after the other: an Engine that removes an image's last names at the same time miscounts
  // them.
  for (const tag of tags)
    await removeImage(docker, tag).then(
      () => removed.push(tag),
      (error: unknown) => failures.push(error),
    );
  for (const each of ids)
    await removeUnnamed(docker, each).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  return removed;
}

/** For an image without names Engines give no name, or the name `<none>`. */
function named(names: readonly string[] | null | undefined): string[] {
  return (names ?? []).filter((name) => !name.startsWith("<none>"));
}

/**
 * The Engine itself would also take the name of an image that has one name alone, which a person
 * may have given. False: it stays.
 */
export async function removeUnnamed(docker: Docker, id: string): Promise<boolean> {
  const image = await askIfThere(`look for the image ${id}`, () => docker.getImage(id).inspect());
  if (image === undefined) return true;
  if (named(image.RepoTags).length + named(image.RepoDigests).length > 0) return false;
  await removeImage(docker, id);
  return (await findImage(docker, id)) === undefined;
}

/** One that a container uses keeps its name. */
export async function removeImage(docker: Docker, name: string): Promise<void> {
  const doing = `remove the image ${name}`;
  try {
    await askIfThere(doing, () => docker.getImage(name).remove());
  } catch (error) {
    const isInUse = error instanceof SettError && statusOf(error.cause) === 409;
    // Another caller may have removed it first, for which the Engine has an error of its own.
    if (!isInUse && (await findImage(docker, name)) !== undefined) throw explain(error, doing);
  }
}
