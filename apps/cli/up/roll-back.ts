// Takes back what a failed `sett up` has made, and tells why it failed.
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { ContainerRuntime } from "../../../lib/runtime/port.ts";
import { plainLines } from "../render/plain-text.ts";
import type { Shell } from "../shell.ts";
import { PartFailed } from "./readiness.ts";
import type { Made, Start } from "./start-instance.ts";

const shownLines = 20;

/** The error to show, with the last words of the container that failed. They must be read before it is removed. */
export async function explainFailure(runtime: ContainerRuntime, error: unknown): Promise<unknown> {
  if (!(error instanceof PartFailed)) return error;
  const lines = await lastLines(runtime, error.container);
  const words = lines.length === 0 ? "It has logged nothing." : `Its last words:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return new SettError("not-ready", `${error.message}. ${words}`, {
    hint:
      lines.length === 0
        ? "Nothing was left behind. Does it have enough memory, and is its image made for this machine?"
        : "Nothing was left behind. Mend what its log names, then `sett up` again.",
    cause: error,
  });
}

/** Only what this start has made; a blackboard from an earlier time stays. */
export async function rollBack({ runtime, instance }: Start, made: Made, shell: Shell): Promise<void> {
  if (!made.isNetworkMade) return;
  try {
    await runtime.removeInstance(instance, { blackboard: made.isBlackboardNew ? "remove" : "keep" });
  } catch (error) {
    shell.messages.warn(`Not everything could be taken back: ${messageOf(error)}`);
    shell.messages.next(`sett down --name ${instance}`);
  }
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
