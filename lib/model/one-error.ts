// Makes one error of two: after the work has failed, its clean-up (`using`) may fail, too. The
// runtime gives such a pair no words of its own.
import { messageOf, SettError } from "./errors.ts";

/** Returns the error that says both where it is such a pair, else the error itself. */
export function oneError(error: unknown): unknown {
  if (!(error instanceof SuppressedError)) return error;
  const first = oneError(error.suppressed);
  const later = oneError(error.error);
  return first instanceof SettError
    ? joined(first, later)
    : new Error(`${messageOf(first)} ${messageOf(later)}`, { cause: first });
}

/** The error has the code of the first, and the hints of both. */
export function joined(first: SettError, later: unknown): SettError {
  const hints = [first.hint, later instanceof SettError ? later.hint : undefined];
  return new SettError(first.code, `${first.message} ${messageOf(later)}`, {
    hint: hints.filter((hint) => hint !== undefined).join("\n") || undefined,
    cause: first,
  });
}
