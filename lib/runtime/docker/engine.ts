// Checks that the Engine answers, and reads its version.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import type { EngineInfo } from "../port.ts";
import { explain, isAbort } from "./errors.ts";

/** dockerode's types leave out that `version` takes a signal, as its other requests do. */
type VersionRequest = (options: { abortSignal: AbortSignal }) => Promise<Docker.DockerVersion>;

export async function checkEngine(docker: Docker, answerWithinMs: number): Promise<EngineInfo> {
  const askVersion: VersionRequest = docker.version.bind(docker);
  try {
    const version = await askVersion({ abortSignal: AbortSignal.timeout(answerWithinMs) });
    return { version: version.Version, architecture: version.Arch };
  } catch (error) {
    if (isAbort(error)) {
      throw new SettError("docker-unreachable", `The Docker Engine did not answer within ${answerWithinMs / 1000} s.`, {
        hint: "It may be starting or stuck. Try `docker info`.",
        cause: error,
      });
    }
    throw explain(error, "tell its version");
  }
}
