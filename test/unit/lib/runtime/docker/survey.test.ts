// What is read of a container that was changed since it was made.
import { expect, test } from "bun:test";
import type Docker from "dockerode";
import { surveyOf } from "../../../../../lib/runtime/docker/survey.ts";

type Info = Docker.ContainerInspectInfo;

/** As the Engine describes one; only what is read. */
const inspected = (networks: object, limits: object) =>
  surveyOf({
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
  expect(inspected({}, { Memory: 1024, PidsLimit: 64 }).limits).toEqual({ memoryBytes: 1024, pids: 64 });
  for (const none of [0, -1, null]) {
    expect(inspected({}, { Memory: 0, PidsLimit: none }).limits).toEqual({ memoryBytes: undefined, pids: undefined });
  }
});
