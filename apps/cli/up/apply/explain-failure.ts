// Explains why a `sett up` failed.

import { plainLines } from "../../../../lib/client/text/plain-text.ts";
import { clauseOf, SettError } from "../../../../lib/model/errors.ts";
import type { Runtime } from "../../../../lib/runtime/port.ts";
import type { Shell } from "../../terminal/shell.ts";
import type { Host } from "../hosts/host.ts";
import { PartFailed } from "./readiness.ts";
import { redisRemedy } from "./redis-remedy.ts";

const shownLines = 20;

/**
 * The error to print, with the last log lines of the container that failed; call it before that
 * container is removed. `state`: a sentence about the instance after the undo.
 */
export async function explainFailure(
  { runtime, host }: { runtime: Runtime; host: Pick<Host, "dataOf"> },
  error: unknown,
  state: string,
  { suggest }: Pick<Shell, "suggest">,
): Promise<unknown> {
  if (!(error instanceof PartFailed)) return error;
  const lines = await lastLines(runtime, error.container);
  const log =
    lines.length === 0
      ? "Its log is empty."
      : `The end of its log:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  // A part that has no place to run has no log that could say more.
  const isSaid = error.remedy !== undefined && lines.length === 0;
  const part = await runtime.observe.find(error.container).catch(() => undefined);
  const remedy =
    part?.labels.component === "redis"
      ? redisRemedy(lines, host.dataOf(part), part.isOutOfMemory)
      : undefined;
  const advice =
    error.remedy ??
    (lines.length === 0
      ? "Does it have enough memory, and is its image made for this machine?"
      : (remedy ?? `Correct what its log names, then run \`${suggest("up")}\` again.`));
  return new SettError("not-ready", `${clauseOf(error)}.${isSaid ? "" : ` ${log}`}`, {
    hint: `${state} ${advice}`,
    cause: error,
  });
}

async function lastLines(runtime: Runtime, container: string): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const { line } of runtime.observe.logs(container, { tail: shownLines }))
      lines.push(plainLines(line));
  } catch {
    // The container may be removed already; then there is no log.
  }
  return saidOnce(lines);
}

/**
 * A part that the Engine has started again says the same again, at another time: that is shown
 * once, the last of it.
 */
export function saidOnce(lines: readonly string[]): string[] {
  let shown = [...lines];
  for (let size = 1; size < shown.length; size++) {
    const end = shown.slice(-size).map(withoutTime);
    let rest = shown.slice(0, -size);
    const before = () => rest.slice(-size).map(withoutTime);
    const isAgain = (lines: string[]) =>
      lines.every((line, at) => line === end.slice(-lines.length)[at]);
    if (before().length < size || !isAgain(before())) continue;
    while (rest.length > 0 && isAgain(before())) rest = rest.slice(0, -size);
    shown = [...rest, ...shown.slice(-size)];
  }
  return shown;
}

function withoutTime(line: string): string {
  return line.replace(/\d[\d:.,TZ-]{7,}/g, "");
}
