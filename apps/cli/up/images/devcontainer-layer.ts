// The layer that makes an image of `@devcontainers/cli` an agent's image: its variables, its user,
// and its create commands. Pure.
import { basename } from "node:path";
import { z } from "zod";
import { SettError } from "../../../../lib/model/errors.ts";
import type { Owner } from "../../../../lib/runtime/container-spec.ts";

/** The label that names the user of the image who has the uid of the repository's owner. */
export const ownersNameLabel = "dev.sett.owner";

/** `folder`: the folder of the devcontainer.json; `host`: the variables of this machine. */
export type Surroundings = {
  folder: string;
  owner: Owner;
  host: Readonly<Record<string, string | undefined>>;
};

const Command = z.union([z.string(), z.array(z.string())]);
/** All commands of an object are run. */
const Commands = z.union([Command, z.record(z.string(), Command)]);

/**
 * One entry of the image's metadata: from its base image, from a feature, or from the
 * devcontainer.json.
 */
const Piece = z.looseObject({
  containerEnv: z.record(z.string(), z.string()).optional(),
  remoteEnv: z.record(z.string(), z.string().nullable()).optional(),
  containerUser: z.string().optional(),
  remoteUser: z.string().optional(),
  updateRemoteUserUID: z.boolean().optional(),
  onCreateCommand: Commands.optional(),
  updateContentCommand: Commands.optional(),
  postCreateCommand: Commands.optional(),
});
type Piece = z.infer<typeof Piece>;

const metadataLabel = "devcontainer.metadata";

/**
 * A Dockerfile that starts from `tag`, and the labels of its image. Throws `build-failed` for
 * values that an image cannot have.
 */
export function devcontainerLayer(
  {
    tag,
    user: imageUser,
    labels,
  }: { tag: string; user: string; labels: Readonly<Record<string, string>> },
  surroundings: Surroundings,
): { dockerfile: string; labels: Record<string, string> } {
  const pieces = piecesOf(tag, labels[metadataLabel]);
  const last = <Key extends keyof Piece>(key: Key) =>
    pieces.findLast((piece) => piece[key] !== undefined)?.[key];
  const user = last("remoteUser") ?? last("containerUser") ?? (imageUser || "root");
  const name = user.split(":")[0] ?? "";
  if (!/^[\w][\w.-]*$/.test(name)) throw unusable(tag, `"${user}" cannot be the name of a user`);
  const isAdopted = name !== "root" && !/^\d+$/.test(name) && last("updateRemoteUserUID") !== false;
  const { uid, gid } = surroundings.owner;
  const variables = pieces.flatMap(({ containerEnv = {} }) => Object.entries(containerEnv));
  const ofTools = pieces.flatMap(({ remoteEnv = {} }) => Object.entries(remoteEnv));
  const commands = (
    ["onCreateCommand", "updateContentCommand", "postCreateCommand"] as const
  ).flatMap((key) => pieces.flatMap((piece) => commandLines(piece[key])));
  const lines = [
    `FROM ${tag}`,
    "USER root",
    ...(isAdopted ? [run(["/bin/sh", "-c", adopt, "sh", name, String(uid), String(gid)])] : []),
    ...[...variables, ...ofTools].flatMap(([key, value]) =>
      value === null ? [] : [env(tag, key, value, surroundings)],
    ),
    // A working copy is mounted there later, and hides files that these commands write there.
    ...(commands.length === 0
      ? []
      : [run(["/bin/sh", "-c", `mkdir -p ${workspace} && chmod 1777 ${workspace}`])]),
    ...(commands.length === 0 ? [] : [`WORKDIR ${workspace}`]),
    `USER ${user}`,
    ...commands.map((args) => run(args.map((arg) => substitute(arg, surroundings, (all) => all)))),
    "",
  ];
  return { dockerfile: lines.join("\n"), labels: isAdopted ? { [ownersNameLabel]: name } : {} };
}

const workspace = "/workspace";

function piecesOf(tag: string, label = "[]"): Piece[] {
  try {
    return z.array(Piece).parse(JSON.parse(label));
  } catch (cause) {
    throw unusable(tag, `its label ${metadataLabel} cannot be read`, cause);
  }
}

/** Each as a program and its arguments. */
function commandLines(commands: z.infer<typeof Commands> | undefined): string[][] {
  if (commands === undefined || commands === "") return [];
  if (typeof commands === "string") return [["/bin/sh", "-c", commands]];
  if (Array.isArray(commands)) return commands.length === 0 ? [] : [commands];
  return Object.values(commands).flatMap(commandLines);
}

/** In JSON form, in which the builder replaces no variables. */
function run(args: readonly string[]): string {
  return `RUN ${JSON.stringify(args)}`;
}

function env(tag: string, name: string, value: string, surroundings: Surroundings): string {
  if (!/^[A-Za-z_]\w*$/.test(name))
    throw unusable(tag, `"${name}" cannot be the name of a variable`);
  if (/[\r\n\0]/.test(value)) throw unusable(tag, `the value of ${name} has more than one line`);
  const quoted = (text: string) => text.replace(/[\\"$]/g, "\\$&");
  // The builder knows the image's own variables.
  const parts = value.split(/(\$\{containerEnv:[A-Za-z_]\w*\})/).map((part, index) => {
    if (index % 2 === 1) return `\${${part.slice("${containerEnv:".length, -1)}}`;
    return quoted(substitute(part, surroundings, () => ""));
  });
  return `ENV ${name}="${parts.join("")}"`;
}

/** Replaces the values that this machine knows; `unknown` decides about `${containerEnv:…}`. */
function substitute(
  text: string,
  { folder, host }: Surroundings,
  unknown: (all: string) => string,
): string {
  return text.replace(
    /\$\{(\w+)(?::([^}:]*))?(?::([^}]*))?\}/g,
    (all, kind, name = "", fallback = "") => {
      switch (kind) {
        case "localEnv":
        case "env":
          return host[name] ?? fallback;
        case "containerEnv":
          return unknown(all) === "" ? fallback : `\${${name}}`;
        case "containerWorkspaceFolder":
          return workspace;
        case "containerWorkspaceFolderBasename":
          return basename(workspace);
        case "localWorkspaceFolder":
          return folder;
        case "localWorkspaceFolderBasename":
          return basename(folder);
        default:
          return all;
      }
    },
  );
}

/**
 * Gives the user the owner's uid and gid, and chowns its home folder, as editors do for such
 * containers. Agents run with these numbers, so they are this user. A user who had the uid before
 * gets the old one. Arguments: name, uid, gid.
 */
const adopt = `user=$1 uid=$2 gid=$3
line=$(sed -n "s/^$user:/&/p" /etc/passwd | head -n 1)
if [ -z "$line" ]; then echo "The image has no user $user, but devcontainer.json names it." >&2; exit 1; fi
IFS=:; set -- $line; unset IFS
old_uid=$3 old_gid=$4 home=$6
sed -i "/^$user:/!s/^\\([^:]*:[^:]*\\):$uid:/\\1:$old_uid:/; s/^\\($user:[^:]*\\):[^:]*:[^:]*:/\\1:$uid:$gid:/" /etc/passwd
if ! grep -q "^[^:]*:[^:]*:$gid:" /etc/group; then sed -i "s/^\\([^:]*:[^:]*\\):$old_gid:/\\1:$gid:/" /etc/group; fi
if [ -d "$home" ] && [ "$home" != / ]; then chown -R "$uid:$gid" "$home"; fi`;

function unusable(tag: string, reason: string, cause?: unknown): SettError {
  return new SettError(
    "build-failed",
    `The image ${tag} could not be built from its devcontainer.json: ${reason}.`,
    { cause },
  );
}
