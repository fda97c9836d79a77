// A container that runs nothing, by which an Engine is asked what it takes.
import { randomBytes, randomUUID } from "node:crypto";
import type Docker from "dockerode";
import { labelsFor, madeLabel, type PartLabels, writeLabels } from "../labels.ts";
import { carrierVolumeName, idleName } from "../names.ts";
import { removeSpent } from "./containers.ts";
import { findCarrierImage } from "./lock.ts";
import { afterLostContainer } from "./lost-answers.ts";

/** No image has it: a start ends there at the latest. */
const noProgram = "/never-run";

type Wanted = {
  labels: PartLabels;
  settings: Docker.HostConfig;
  /** It completes the sentence of an error, as in `explain`. */
  doing: string;
  /** Whether the Engine says by this error that it takes no such settings. */
  isRefusal?: (error: unknown) => boolean;
};

/**
 * Undefined where it refuses the settings. Throws `image-not-found`. The container is removed when
 * it is disposed of.
 */
export async function makeTrial(
  docker: Docker,
  { labels, settings, doing, isRefusal = () => false }: Wanted,
): Promise<({ container: Docker.Container } & AsyncDisposable) | undefined> {
  const image = await findCarrierImage(docker);
  const random = randomBytes(4).toString("hex");
  // It has the name and the labels of a container of the instance, and would be removed with it.
  const name = idleName(carrierVolumeName(labels.instance, random), random);
  const made = randomUUID();
  const own = writeLabels(labelsFor(labels, { component: "carrier" }));
  try {
    const container = await docker.createContainer({
      name,
      Image: image,
      Labels: { ...own, [madeLabel]: made },
      Entrypoint: [noProgram],
      NetworkDisabled: true,
      HostConfig: settings,
    });
    const remove = () => removeSpent(docker, { id: container.id, name });
    return { container, [Symbol.asyncDispose]: remove };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw await afterLostContainer(docker, { why: error, doing, name, made });
  }
}
