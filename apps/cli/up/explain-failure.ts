// Explains why a `sett up` failed.

import { plainLines } from "../../../lib/client/text/plain-text.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ContainerRuntime } from "../../../lib/runtime/port.ts";
import { PartFailed } from "./readiness.ts";
import { redisRemedy } from "./redis-remedy.ts";

const shownLines = 20;

/**
 * The error to print, with the last log lines of the container that failed; call it before that container is removed. `state`: a sentence
 * about the instance after the undo. `redisFolder`: as for `redisRemedy`.
 */
export async function explainFailure(
  runtime: ContainerRuntime,
  error: unknown,
  state: string,
  suggest: Suggest,
  redisFolder?: string,
): Promise<unknown> {
  if (!(error instanceof PartFailed)) return error;
  const lines = await lastLines(runtime, error.container);
  const log = lines.length === 0 ? "Its log is empty." : `The end of its log:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  const part = await runtime.containers.find(error.container).catch(() => undefined);
  const remedy = part?.labels.component === "redis" ? redisRemedy(lines, part, redisFolder) : undefined;
  const advice =
    lines.length === 0
      ? "Does it have enough memory, and is its image made for this machine?"
      : (remedy ?? `Correct what its log names, then run \`${suggest("up")}\` again.`);
  return new SettError("not-ready", `${error.message}. ${log}`, { hint: `${state} ${advice}`, cause: error });
}

async function lastLines(runtime: ContainerRuntime, container: string): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const { line } of runtime.containers.logs(container, { tail: shownLines })) lines.push(plainLines(line));
  } catch {
    // The container may be removed already; then there is no log.
  }
  return lines;
}
