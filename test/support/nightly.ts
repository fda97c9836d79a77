// A test that costs more than it finds in each run: `just nightly` runs it (test/README.md).
import { test } from "bun:test";
import process from "node:process";

export const isNight = process.env.SETT_NIGHTLY === "1";

/**
 * In the place of `test`, for what every run need not repeat: rare defects, long sweeps, one more
 * way to a thing that a test of each day holds. `SETT_NIGHTLY=1 bun test FILE` runs it by itself.
 */
export const nightly = test.skipIf(!isNight);

/** The rows of a table that each day tries: the first ones. By night they are all tried. */
export function rowsOfDay<Row>(all: readonly Row[], count = 1): readonly Row[] {
  return isNight ? all : all.slice(0, count);
}
