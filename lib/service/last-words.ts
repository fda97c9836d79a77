// What a service says when it cannot go on.
import { SettError } from "../model/errors.ts";

/** One sentence for an expected failure, for the person who reads the container's log; everything there is for any other. */
export function lastWords(program: string, error: unknown): { words: unknown; exitCode: number } {
  if (!(error instanceof SettError)) return { words: error, exitCode: 1 };
  return { words: `${program}: ${error.message}${error.hint ? ` ${error.hint}` : ""}`, exitCode: error.exitCode };
}
