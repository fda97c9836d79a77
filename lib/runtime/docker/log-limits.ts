// How much of what a container prints the Engine keeps. The way in which most Engines keep it, `json-file`, has no limit of its own: an agent
// that prints much would fill the disk, a little with each grant.
import type Docker from "dockerode";
import { ask } from "./errors.ts";

/** As the Engine's other way, `local`, does by itself: 100 MB for a container. */
const limits = { "max-size": "20m", "max-file": "5" };

/** The setting of a new container; undefined where it keeps logs in another way. Asked once. */
export function logLimitsOf(docker: Docker): () => Promise<Docker.HostConfig["LogConfig"]> {
  let known: Promise<Docker.HostConfig["LogConfig"]> | undefined;
  return () => {
    known ??= readLogLimits(docker);
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}

async function readLogLimits(docker: Docker): Promise<Docker.HostConfig["LogConfig"]> {
  const { LoggingDriver: driver }: { LoggingDriver?: string } = await ask("describe itself", () => docker.info());
  return driver === "json-file" ? { Type: driver, Config: limits } : undefined;
}
