// Removes the images that were built for an instance's agents.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import { componentLabel, instanceLabel } from "../labels.ts";
import { isAgentImageTag } from "../names.ts";
import { ask, askIfThere, explain, statusOf } from "./errors.ts";
import { findImage } from "./images.ts";

/**
 * The label is not enough: an image that a person builds on an agent's image inherits it. So an image must also have our name, or no name
 * at all, as one from an earlier build. One that cannot be removed does not stop the removal of the others; the first failure is thrown at
 * the end.
 */
export async function removeBuiltImages(docker: Docker, instance: InstanceName): Promise<string[]> {
  const images = await ask(`list the images of ${instance}`, () =>
    docker.listImages({ filters: { label: [`${instanceLabel}=${instance}`] } }),
  );
  const names = images.flatMap(({ Id, RepoTags, RepoDigests, Labels }) => {
    // Only containers have that label: the image was made of one of them (`docker commit`), by a person.
    const isCommitted = Labels?.[componentLabel] !== undefined;
    const tags = named(RepoTags);
    return tags.length + named(RepoDigests).length === 0
      ? isCommitted
        ? []
        : [Id]
      : tags.filter((tag) => isAgentImageTag(instance, tag));
  });
  const failures: unknown[] = [];
  // One after the other: an Engine that removes an image's last names at the same time miscounts them.
  for (const name of names) await removeImage(docker, name).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
  return names;
}

/** For an image without names Engines give no name, or the name `<none>`. */
function named(names: readonly string[] | null | undefined): string[] {
  return (names ?? []).filter((name) => !name.startsWith("<none>"));
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
