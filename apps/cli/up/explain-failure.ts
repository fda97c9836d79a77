// Tells why a `sett up` failed.
import { SettError } from "../../../lib/model/errors.ts";
import type { ContainerRuntime } from "../../../lib/runtime/port.ts";
import { plainLines } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { PartFailed } from "./readiness.ts";

const shownLines = 20;

/**
 * The error to show, with the last words of the container that failed. They must be read before it is removed. `how` it stands
 * then.
 */
export async function explainFailure(runtime: ContainerRuntime, error: unknown, how: string, suggest: Suggest): Promise<unknown> {
  if (!(error instanceof PartFailed)) return error;
  const lines = await lastLines(runtime, error.container);
  const words = lines.length === 0 ? "It has logged nothing." : `Its last words:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return new SettError("not-ready", `${error.message}. ${words}`, {
    hint:
      lines.length === 0
        ? `${how} Does it have enough memory, and is its image made for this machine?`
        : `${how} Mend what its log names, then \`${suggest("up")}\` again.`,
    cause: error,
  });
}

async function lastLines(runtime: ContainerRuntime, container: string): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const { line } of runtime.containers.logs(container, { tail: shownLines })) lines.push(plainLines(line));
  } catch {
    // It may be gone altogether; then there is nothing to tell.
  }
  return lines;
}
