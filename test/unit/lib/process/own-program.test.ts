import { expect, test } from "bun:test";
import { ownProgram } from "../../../../lib/process/own-program.ts";

test("a program starts again as itself, in `sett` as the service that it is", () => {
  const own = { execPath: "/api", script: "/$bunfs/root/api", isWholeProgram: true };
  expect(ownProgram(own, "api")).toEqual(["/api"]);
  expect(ownProgram({ ...own, execPath: "/bin/sett", isWholeProgram: false }, "api")).toEqual([
    "/bin/sett",
    "service",
    "api",
  ]);
});

test("from its sources, no file of the working directory changes it", () => {
  const own = { execPath: "/bin/bun", script: "/sett/apps/api/main.ts", isWholeProgram: true };
  expect(ownProgram(own, "api")).toEqual([
    "/bin/bun",
    "run",
    "--no-env-file",
    "--config=/dev/null",
    "/sett/apps/api/main.ts",
  ]);
});
