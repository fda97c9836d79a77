// Tries whether processes of containers can have so many files open. No answer of an Engine says
// it: one that has a limit itself gives its containers no more, and refuses to start them.
import type Docker from "dockerode";
import type { PartLabels } from "../labels.ts";
import { explain, reasonOf, statusOf } from "./errors.ts";
import { makeTrial } from "./trial-container.ts";

export async function opensFiles(
  docker: Docker,
  files: number,
  labels: PartLabels,
): Promise<boolean> {
  const doing = `try whether a process can have ${files} files open`;
  const settings = { Ulimits: [{ Name: "nofile", Soft: files, Hard: files }] };
  await using trial = await makeTrial(docker, { labels, settings, doing, isRefusal: isOfLimit });
  if (trial === undefined) return false;
  try {
    await trial.container.start();
    return true;
  } catch (error) {
    if (isOfLimit(error)) return false;
    // Limits are set before the program is looked for, which there is not.
    if (statusOf(error) !== undefined) return true;
    throw explain(error, doing);
  }
}

function isOfLimit(error: unknown): boolean {
  return statusOf(error) !== undefined && /[ru]limit/i.test(reasonOf(error));
}
