// The survey reads a container that was changed since it was made.
import { expect, test } from "bun:test";
import type Docker from "dockerode";
import { surveyOf } from "../../../../../lib/runtime/docker/survey.ts";

type Info = Docker.ContainerInspectInfo;

/** As the Engine describes one; only what is read. */
const inspected = (networks: object, limits: object, state: object = {}) =>
  surveyOf({
    State: state,
    Config: { User: "10001:10001" },
    HostConfig: { NetworkMode: "none", ...limits },
    NetworkSettings: { Ports: {}, Networks: networks },
    Mounts: [],
  } as unknown as Info);

test("the networks are those that it is in, whatever it was made with", () => {
  expect(inspected({ none: {} }, {}).networks).toEqual(["none"]);
  expect(inspected({ other: {} }, {}).networks).toEqual(["other"]);
  expect(inspected({ none: {}, other: {} }, {}).networks).toEqual(["none", "other"]);
  expect(inspected({}, {}).networks).toEqual(["none"]);
});

test("a limit that was removed is none, in each way that the Engine says it", () => {
  expect(inspected({}, { Memory: 1024, PidsLimit: 64 }).limits).toEqual({
    memoryBytes: 1024,
    pids: 64,
  });
  for (const none of [0, -1, null]) {
    expect(inspected({}, { Memory: 0, PidsLimit: none }).limits).toEqual({
      memoryBytes: undefined,
      pids: undefined,
    });
  }
});

test("of its health checks counts what the last one has said, where that was not good", () => {
  const checked = (FailingStreak: number, ...last: object[]) =>
    inspected({}, {}, { Health: { Status: "healthy", FailingStreak, Log: last } }).failedCheck;
  const [bad, good] = [
    { ExitCode: 1, Output: "The bid command does not run.\n" },
    { ExitCode: 0, Output: "fine" },
  ];
  expect(checked(1, good, bad)).toBe("The bid command does not run.");
  expect(checked(0, bad, good)).toBeUndefined();
  // While it starts, none counts.
  expect(checked(0, bad)).toBeUndefined();
  expect(checked(2, bad, { ExitCode: -1, Output: "" })).toBe("");
  expect(inspected({}, {}).failedCheck).toBeUndefined();
});
