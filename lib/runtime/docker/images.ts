// Images that the Engine has, or can pull from a registry.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ImageInfo, Progress } from "../port.ts";
import type { HostEnvironment } from "./docker-config.ts";
import { envRecord } from "./env.ts";
import { ask, askIfThere, explain, isNoEngine, reasonOf, statusOf } from "./errors.ts";
import { jsonMessages } from "./json-messages.ts";
import { untilSilent } from "./patience.ts";
import { type FoundLogin, findLogin, loginHint, registryOf } from "./registry-logins.ts";

export async function findImage(docker: Docker, tag: string): Promise<ImageInfo | undefined> {
  const image = await askIfThere(`look for the image ${tag}`, () => docker.getImage(tag).inspect());
  if (image === undefined) return undefined;
  if (typeof image.Id !== "string") throw isNoEngine();
  // An imported image has null for most of these, whatever dockerode's types say.
  const config = image.Config ?? {};
  return {
    id: image.Id,
    digest: digestFor(tag, image.RepoDigests ?? []),
    architecture: image.Architecture,
    user: config.User ?? "",
    env: envRecord(config.Env),
    entrypoint: argumentsIn(config.Entrypoint),
    command: argumentsIn(config.Cmd),
    workingDir: config.WorkingDir ?? "",
    volumes: Object.keys(config.Volumes ?? {}),
    labels: config.Labels ?? {},
  };
}

/**
 * The digest by which the registry of this name has the image. Another registry, which has the same
 * one, may not be within reach of all who read it.
 */
export function digestFor(tag: string, digests: readonly string[]): string | undefined {
  const name = tag.replace(/@.*$/, "").replace(/:[^/]*$/, "");
  const short = name.replace(/^(?:index\.)?docker\.io\//, "").replace(/^library\//, "");
  return digests.find((digest) => digest.startsWith(`${short}@`)) ?? digests[0];
}

/** `env`: in which docker's logins are found. */
export async function pullImage(
  docker: Docker,
  tag: string,
  { onProgress, signal }: Progress,
  env: HostEnvironment,
): Promise<ImageInfo> {
  const reference = withTag(tag);
  const found = await findLogin(registryOf(tag), env);
  const notPulled = (reason: string, cause?: unknown) => failedPull(tag, reason, found, cause);
  try {
    const stream = await docker.pull(
      reference,
      withoutUndefined({ abortSignal: signal, authconfig: found.login }),
    );
    for await (const message of jsonMessages(untilSilent(docker, "/images/create", stream))) {
      // As for a build, a failed pull is an `error` message in a response of status 200.
      if (message.error !== undefined) throw notPulled(message.error);
      if (message.status !== undefined) {
        onProgress(
          [message.id, message.status, message.progress]
            .filter((part) => part !== undefined)
            .join(" "),
        );
      }
    }
  } catch (error) {
    // The Engine's own refusals (no such repository, no network to the registry) all mean that
    // there is no image.
    throw statusOf(error) === undefined
      ? explain(error, `pull the image ${tag}`, signal)
      : notPulled(reasonOf(error), error);
  }
  const image = await ask(`look for the image ${tag}`, () => findImage(docker, reference));
  if (image === undefined) throw notPulled("the registry's answer ended early");
  return image;
}

function failedPull(tag: string, reason: string, found: FoundLogin, cause: unknown): SettError {
  const hint = "Is the name right, and does the registry answer?";
  const login = loginHint(reason, [found]);
  return new SettError("image-not-found", `The image ${tag} could not be pulled: ${reason}`, {
    hint:
      login === undefined ? `${hint} Try \`docker pull ${tag}\`.` : `Is the name right? ${login}`,
    cause,
  });
}

/** The Engine would pull every tag of a name without one. */
function withTag(tag: string): string {
  return /[:@][^/]*$/.test(tag) ? tag : `${tag}:latest`;
}

function argumentsIn(value: string | string[] | null | undefined): string[] {
  if (value === null || value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}
