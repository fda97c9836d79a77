// How much of what a container prints the Engine keeps. The way in which most Engines keep it,
// `json-file`, has no limit of its own: an agent that prints much would fill the disk, a little
// with each grant.
import type Docker from "dockerode";

/** As the Engine's other way, `local`, does by itself: 100 MB for a container. */
const limits = { "max-size": "20m", "max-file": "5" };

/**
 * The setting of a new container; undefined where the Engine keeps logs in another way, or does not
 * say how: a proxy may let no such question through. Asked once. Never rejects.
 */
export function logLimitsOf(docker: Docker): () => Promise<Docker.HostConfig["LogConfig"]> {
  let known: Promise<Docker.HostConfig["LogConfig"]> | undefined;
  return () => {
    known ??= readLogLimits(docker);
    return known;
  };
}

async function readLogLimits(docker: Docker): Promise<Docker.HostConfig["LogConfig"]> {
  const { LoggingDriver: driver }: { LoggingDriver?: string } = await docker
    .info()
    .catch(() => ({}));
  return driver === "json-file" ? { Type: driver, Config: limits } : undefined;
}
