// The work of a worker that is part of this program: on stdin, and done before the cub ends it.
import { readFileSync } from "node:fs";
import { SettError } from "../../../lib/model/errors.ts";
import { ToolInput } from "../../../lib/model/tool-contract.ts";

/** The cub kills the worker at its timeout: the Failure must be out before. */
export function marginMs(timeoutMs: number): number {
  return Math.min(5_000, timeoutMs / 10);
}

/** Throws `usage`. */
export function readInput(): ToolInput {
  const text = readFileSync(0, "utf8");
  try {
    return ToolInput.parse(JSON.parse(text));
  } catch (cause) {
    throw new SettError("usage", "There is no work in the form of the tool contract on stdin.", {
      hint: "The cub starts this mode; by hand, pipe the JSON of docs/reference/tool-contract.md into it.",
      cause,
    });
  }
}
