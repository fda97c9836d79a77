// How a program reports the error that ends it.
import { SettError } from "../model/errors.ts";

/**
 * A sentence for an expected failure, for the person who reads the container's log; for any other
 * error the error itself, with its stack.
 */
export function describeFatalError(
  program: string,
  error: unknown,
): { text: unknown; exitCode: number } {
  if (!(error instanceof SettError)) return { text: error, exitCode: 1 };
  return {
    text: `${program}: ${error.message}${error.hint ? ` ${error.hint}` : ""}`,
    exitCode: error.exitCode,
  };
}
