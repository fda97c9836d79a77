import { expect, test } from "bun:test";
import { hiddenFromCub } from "../../../../../../apps/cli/up/plan/for-the-command.ts";

test("variables that would steer the cub are emptied for it, and those of commands are theirs", () => {
  const image = {
    PATH: "/bin",
    LD_PRELOAD: "/lib/jemalloc.so",
    http_proxy: "http://proxy",
    BUN_INSPECT: "1",
    LD_LIBRARY_PATH: "/opt",
  };
  expect(
    hiddenFromCub(
      image,
      { NODE_OPTIONS: "--no-warnings", LOG_LEVEL: "debug" },
      { LD_LIBRARY_PATH: "/cub" },
    ),
  ).toEqual({
    ...{ LD_PRELOAD: "", http_proxy: "", BUN_INSPECT: "", NODE_OPTIONS: "" },
    SETT_COMMAND_ENVIRONMENT: JSON.stringify({
      ...{
        LD_PRELOAD: "/lib/jemalloc.so",
        http_proxy: "http://proxy",
        NODE_OPTIONS: "--no-warnings",
      },
    }),
  });
});

test("a setting of the image's is emptied, one of sett.yml or of Sett counts", () => {
  const image = {
    SETT_MODEL: "x",
    SETT_WORK_STEPS: "1",
    SETT_AGENT_NAME: "other",
    SETT_WORK_OUTPUT: "7",
  };
  const own = { SETT_AGENT_NAME: "coder" };
  expect(hiddenFromCub(image, { SETT_WORK_STEPS: "2" }, own)).toEqual({
    SETT_MODEL: "",
    SETT_WORK_OUTPUT: "",
  });
});

test("an image without any changes nothing", () => {
  expect(hiddenFromCub({ PATH: "/bin" }, { LOG_LEVEL: "debug" }, {})).toEqual({});
});
