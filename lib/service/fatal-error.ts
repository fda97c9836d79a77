// How a program reports the error that ends it.
import process from "node:process";
import { SettError } from "../model/errors.ts";

/**
 * Ends the process: with a sentence for an expected failure, for the person who reads the
 * container's log; for any other error with the error itself, and its stack.
 */
export function failAs(program: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof SettError)) {
      console.error(error);
      process.exit(1);
    }
    console.error(`${program}: ${error.message}${error.hint ? ` ${error.hint}` : ""}`);
    process.exit(error.exitCode);
  };
}
