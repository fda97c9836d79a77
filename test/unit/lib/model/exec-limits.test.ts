// The figures, compared with what the kernel of this machine does.
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { maxStringBytes, startBytes, usualStartBytes } from "../../../../lib/model/exec-limits.ts";

/** Starts a program with these variables, and the usual stack. */
function starts(variables: Record<string, string>): boolean {
  const { status, error } = spawnSync("/bin/true", [], { env: variables });
  if (error !== undefined && !("code" in error && error.code === "E2BIG")) throw error;
  return status === 0;
}

const isUsual =
  process.platform === "linux" &&
  spawnSync("sh", ["-c", "ulimit -s"]).stdout.toString().trim() === "8192";

test.if(process.platform === "linux")("a variable has at most so many bytes with its name", () => {
  expect(starts({ V: "x".repeat(maxStringBytes - 2) })).toBe(true);
  expect(starts({ V: "x".repeat(maxStringBytes - 1) })).toBe(false);
});

test.if(isUsual)(
  "all together have at most so many, with a NUL and a pointer each, and the path of the program",
  () => {
    const variables = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`V${at}`, "x".repeat(100_000)]),
    );
    const path = "/bin/true".length + 1;
    const left = usualStartBytes - path - startBytes(["/bin/true"], { ...variables, PAD: "" });
    expect(starts({ ...variables, PAD: "p".repeat(left - 64) })).toBe(true);
    expect(starts({ ...variables, PAD: "p".repeat(left + 64) })).toBe(false);
  },
);
