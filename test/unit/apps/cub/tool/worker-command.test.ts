import { expect, test } from "bun:test";
import {
  workerCommand,
  workerKindOf,
  workerVariables,
} from "../../../../../apps/cub/tool/worker-command.ts";

test("the worker is the cub's own program, started again", () => {
  const inContainer = { execPath: "/cub/cub", script: "/$bunfs/root/cub", isWholeProgram: true };
  expect(workerCommand(inContainer, "worker")).toEqual(["/cub/cub", "--work"]);
  expect(workerCommand(inContainer, "lane")).toEqual(["/cub/cub", "--lane"]);
  const inSett = { execPath: "/bin/sett", script: "/$bunfs/root/sett", isWholeProgram: false };
  expect(workerCommand(inSett, "worker")).toEqual(["/bin/sett", "service", "cub", "--work"]);
});

test("from its sources, no file of the agent's working directory changes the worker", () => {
  const sources = { execPath: "/bin/bun", script: "/sett/apps/cub/main.ts", isWholeProgram: true };
  const flags = ["--no-env-file", "--config=/dev/null"];
  expect(workerCommand(sources, "worker")).toEqual([
    "/bin/bun",
    "run",
    ...flags,
    "/sett/apps/cub/main.ts",
    "--work",
  ]);
  const service = { ...sources, script: "/sett/apps/main.ts", isWholeProgram: false };
  expect(workerCommand(service, "worker")).toEqual([
    "/bin/bun",
    "run",
    ...flags,
    "/sett/apps/main.ts",
    "service",
    "cub",
    "--work",
  ]);
});

test("an agent is a prompt where it has a prompt and a model, and neither a command nor a lane", () => {
  const prompt = { command: [], promptExecution: "Write.", model: {}, lane: undefined };
  expect(workerKindOf(prompt)).toBe("worker");
  expect(workerKindOf({ ...prompt, command: ["/app/run.sh"] })).toBeUndefined();
  expect(workerKindOf({ ...prompt, promptExecution: undefined })).toBeUndefined();
  expect(workerKindOf({ ...prompt, promptExecution: "" })).toBeUndefined();
  expect(workerKindOf({ ...prompt, model: undefined })).toBeUndefined();
  expect(workerKindOf({ ...prompt, lane: { name: "main" } })).toBe("lane");
});

test("the worker gets its limits, the cub's libraries, and the image's for the commands that it runs", () => {
  const git = { binary: "/cub/git", libraryPath: undefined };
  const limits = { timeoutMs: 90_000, workspaceMode: "rw", paths: undefined, onBudget: "ask", git };
  const always = {
    SETT_WORK_TIMEOUT: "90000ms",
    SETT_WORKSPACE_MODE: "rw",
    SETT_ON_BUDGET: "ask",
    SETT_GIT_BINARY: "/cub/git",
  };
  const libraries = { LD_LIBRARY_PATH: "/cub", SETT_IMAGE_LD_LIBRARY_PATH: "/opt/lib" };
  expect(workerVariables({ ...libraries, REDIS_URL: "redis://:secret@redis" }, limits)).toEqual({
    ...always,
    ...libraries,
  });
  expect(workerVariables({}, limits)).toEqual(always);
  const withLibraries = { ...limits, git: { ...git, libraryPath: "/cub/lib" } };
  expect(workerVariables({ SETT_WORK_STEPS: "7" }, withLibraries)).toEqual({
    ...always,
    SETT_WORK_STEPS: "7",
    SETT_GIT_LIBRARY_PATH: "/cub/lib",
  });
  expect(workerVariables({}, { ...limits, paths: ["a/"] })).toEqual({
    ...always,
    SETT_WORKSPACE_PATHS: '["a/"]',
  });
});
