// The SettError that a piece of work ends with.
import { SettError } from "../../lib/model/errors.ts";

/** Throws where it succeeds, and passes on what is no SettError. */
export async function errorOf(work: Promise<unknown> | (() => unknown)): Promise<SettError> {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    if (error instanceof SettError) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}
