// The one function that prints an error for a person.

import { plainLines } from "../../../lib/client/text/plain-text.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";
import { exitCodes, messageOf, SettError } from "../../../lib/model/errors.ts";
import type { Output } from "../terminal/output.ts";

/**
 * Prints what happened and what to do next, and returns the exit code. Prints the stack only with
 * `isDebug`.
 */
export async function printError(
  error: unknown,
  err: Output,
  { isDebug }: { isDebug: boolean },
): Promise<number> {
  const { style, columns } = err;
  const isExpected = error instanceof SettError;
  const hint = isExpected
    ? error.hint
    : "This is a bug in Sett. Run the command again with --debug, and report what it prints.";
  const message = isExpected ? error.message : `Something unexpected happened: ${messageOf(error)}`;
  await err.write(
    `${wrap(`${style.bold(style.red("sett:"))} ${plainLines(message)}`, { columns })}\n`,
  );
  for (const line of hint === undefined ? [] : plainLines(hint).split("\n"))
    await err.write(
      `${wrap(`  ${style.cyan("→")} ${line}`, { columns, indent: 4, isOneLine: true })}\n`,
    );
  if (isDebug) await err.write(`${stacksOf(error)}\n`);
  return isExpected ? error.exitCode : exitCodes.failed;
}

/** The stack of the error and of each of its causes. */
function stacksOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\nCaused by: ${stacksOf(error.cause)}`;
}
