// Takes back what a failed `sett up` has made, and tells why it failed.
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerRuntime } from "../../../lib/runtime/port.ts";
import { plainLines } from "../render/plain-text.ts";
import type { Suggest } from "../render/suggest.ts";
import type { Shell } from "../terminal/shell.ts";
import { PartFailed } from "./readiness.ts";
import type { Journal } from "./undo.ts";

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

/** What stood there before stands there again. */
export async function rollBack(journal: Journal, instance: InstanceName, shell: Shell): Promise<void> {
  if (journal.isEmpty) return;
  shell.messages.note("Undoing what was done …");
  const failures = await journal.takeBack();
  if (failures.length === 0) return;
  for (const failure of failures) shell.messages.warn(`Not everything could be undone: ${messageOf(failure)}`);
  const isAway = (failure: unknown) => failure instanceof SettError && failure.code === "redis-unreachable";
  if (failures.every(isAway)) shell.messages.next(`Once Redis answers and takes writes: sett up --name ${instance}`);
  else shell.messages.next(`sett down --name ${instance}`);
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
