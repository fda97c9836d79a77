// Pushes an image to its registry, with docker's own login.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { Progress } from "../port.ts";
import type { HostEnvironment } from "./docker-config.ts";
import { explain, reasonOf, statusOf } from "./errors.ts";
import { jsonMessages } from "./json-messages.ts";
import { untilSilent } from "./patience.ts";
import { type FoundLogin, findLogin, loginHint, registryOf } from "./registry-logins.ts";

/** `env`: in which docker's logins are found. */
export async function pushImage(
  docker: Docker,
  tag: string,
  { onProgress, signal }: Progress,
  env: HostEnvironment,
): Promise<string> {
  const found = await findLogin(registryOf(tag), env);
  let digest: string | undefined;
  try {
    const stream = await docker
      .getImage(tag)
      // Some Engines want a login also where there is none.
      .push(withoutUndefined({ abortSignal: signal, authconfig: found.login ?? {} }));
    for await (const message of jsonMessages(untilSilent(docker, "/images/push", stream))) {
      // As for a pull, a failure is an `error` message in a response of status 200.
      if (message.error !== undefined) throw failedPush(tag, message.error, found);
      if (message.status === undefined) continue;
      onProgress([message.id, message.status].filter((part) => part !== undefined).join(" "));
      digest = /digest: (sha256:[0-9a-f]{64})/.exec(message.status)?.[1] ?? digest;
    }
  } catch (error) {
    throw statusOf(error) === undefined
      ? explain(error, `push the image ${tag}`, signal)
      : failedPush(tag, reasonOf(error), found, error);
  }
  if (digest === undefined) throw failedPush(tag, "the registry named no digest", found);
  return digest;
}

/** `reference`: by its digest. Where the registry does not say, a push will. */
export async function isInRegistry(
  docker: Docker,
  reference: string,
  env: HostEnvironment,
): Promise<boolean> {
  const { login } = await findLogin(registryOf(reference), env);
  return await docker
    .getImage(reference)
    .distribution(withoutUndefined({ authconfig: login }))
    .then(
      () => true,
      () => false,
    );
}

function failedPush(tag: string, reason: string, found: FoundLogin, cause?: unknown): SettError {
  return new SettError("image-not-found", `The image ${tag} could not be pushed: ${reason}`, {
    hint:
      loginHint(reason, [found]) ??
      `Is \`images.push\` of sett.yml right, and does that registry answer? Try \`docker push ${tag}\`.`,
    cause,
  });
}
