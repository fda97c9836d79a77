// From the specification of a container to that of a process of this machine. There is no image and
// no isolation: users, capabilities, limits and networks have no effect.
import { unreachable } from "../../model/unreachable.ts";
import type { ContainerSpec, Mount } from "../container-spec.ts";
import { writeLabels } from "../labels.ts";
import type { ProcessSpec } from "./registry.ts";

type Machine = {
  /** The variables that every process gets, as a container gets those of its image. */
  env: Readonly<Record<string, string>>;
  volumeFolder: (name: string) => string;
  /** For a mount of the kind `secrets`. */
  secretsFolder: string;
  now: () => Date;
};

/**
 * A mount stays where it is: a variable, or the working directory, that is exactly a mount's
 * `target` becomes the path of its source. A port is the process's own affair: only one with a
 * `hostPort` is known.
 */
export function resolveSpec(spec: ContainerSpec, { env, now, ...folders }: Machine): ProcessSpec {
  const sources = new Map(spec.mounts.flatMap((mount) => sourceOf(mount, folders)));
  const inPlace = (path: string) => sources.get(path) ?? path;
  const variables = Object.entries({ ...env, ...spec.env });
  return {
    name: spec.name,
    labels: writeLabels(spec.labels),
    image: spec.image,
    command: [...(spec.entrypoint ?? []), ...(spec.command ?? [])],
    env: Object.fromEntries(variables.map(([name, value]) => [name, inPlace(value)])),
    workingDir: inPlace(spec.workingDir ?? "/"),
    ...(spec.mounts.some(({ kind }) => kind === "secrets") && {
      secretsFolder: folders.secretsFolder,
    }),
    ports: (spec.ports ?? []).flatMap(({ port, hostPort }) =>
      hostPort === undefined ? [] : [{ port, hostPort }],
    ),
    restart: spec.restart,
    createdAt: now().toISOString(),
  };
}

type Folders = Pick<Machine, "volumeFolder" | "secretsFolder">;

function sourceOf(
  mount: Mount,
  { volumeFolder, secretsFolder }: Folders,
): [target: string, path: string][] {
  switch (mount.kind) {
    case "volume":
      return [[mount.target, volumeFolder(mount.volume)]];
    case "bind":
      return [[mount.target, mount.path]];
    case "secrets":
      return [[mount.target, secretsFolder]];
    case "tmpfs":
      return [];
    default:
      return unreachable(mount);
  }
}
