// Tries whether an Engine has a runtime that it does not list: it takes each name that begins as
// containerd's do, and looks for its program when a container is made, or only when it is started.
import type Docker from "dockerode";
import type { PartLabels } from "../labels.ts";
import { explain, reasonOf, statusOf } from "./errors.ts";
import { makeTrial } from "./trial-container.ts";

export async function takesRuntime(
  docker: Docker,
  runtime: string,
  labels: PartLabels,
): Promise<boolean> {
  const doing = `try the runtime ${runtime}`;
  const settings = { Runtime: runtime };
  await using trial = await makeTrial(docker, { labels, settings, doing, isRefusal: isOfRuntime });
  if (trial === undefined) return false;
  try {
    await trial.container.start();
    return true;
  } catch (error) {
    if (isOfRuntime(error)) return false;
    // The runtime has looked for the program, which there is not.
    if (statusOf(error) !== undefined) return true;
    throw explain(error, doing);
  }
}

function isOfRuntime(error: unknown): boolean {
  const absent = /unknown runtime|invalid runtime name|runtime \S+ binary not installed/i;
  return statusOf(error) !== undefined && absent.test(reasonOf(error));
}
