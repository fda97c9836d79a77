// Says where the data of an instance's Redis is, and how a person reaches it there. Pure.
import { blackboardVolumeName, serviceContainer } from "../../../../lib/runtime/names.ts";
import type { ContainerPart } from "../../../../lib/runtime/port.ts";

/**
 * `data`: its name in a sentence. `copy`: a command that copies it here. `inside`: the command that
 * does there what this one does with `/data`.
 */
export type DataPlace = { data: string; copy: string; inside: (command: string) => string };

export type RedisPart = Pick<ContainerPart, "labels" | "image">;

export function placeInVolume({ image, labels }: RedisPart): DataPlace {
  const volume = blackboardVolumeName(labels.instance);
  const inside = (command: string) => {
    const [program = "", ...words] = command.split(" ");
    return `docker run --rm -v ${volume}:/data --entrypoint ${program} ${image.tag} ${words.join(" ")}`;
  };
  const copy = `\`docker run --rm -v ${volume}:/data -v "$PWD":/copy --user 0 --entrypoint cp ${image.tag} -a /data /copy/${volume}\``;
  return { data: `the volume ${volume}`, copy, inside };
}

export function placeInFolder(folder: string): DataPlace {
  const inside = (command: string) => command.replaceAll("/data", folder);
  return { data: `the folder ${folder}`, copy: `\`cp -a ${folder} .\``, inside };
}

/** Commands run in the pod of Redis. */
export function placeInClaim({ labels }: RedisPart, namespace: string): DataPlace {
  const claim = blackboardVolumeName(labels.instance);
  const part = `statefulset/${serviceContainer(labels.instance, "redis")}`;
  const inside = (command: string) => `kubectl --namespace ${namespace} exec ${part} -- ${command}`;
  const pod = `${serviceContainer(labels.instance, "redis")}-0`;
  const copy = `\`kubectl --namespace ${namespace} cp ${pod}:/data ${claim}\``;
  return { data: `the claim ${claim}`, copy, inside };
}
