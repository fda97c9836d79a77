import { expect, test } from "bun:test";
import { commandEnvironment } from "../../../../../apps/cub/prompt-worker/command-environment.ts";
import { marginMs } from "../../../../../apps/cub/prompt-worker/read-input.ts";
import { readWorkSettings } from "../../../../../apps/cub/prompt-worker/settings.ts";
import { errorOf } from "../../../../support/error-of.ts";

const least = {
  SETT_MODEL: "m",
  SETT_MODEL_PROVIDER: "openai",
  OPENAI_BASE_URL: "http://gateway/openai/v1/",
};

test("the cub's variables and the defaults", () => {
  expect(
    readWorkSettings({ ...least, OPENAI_API_KEY: "token", ANTHROPIC_API_KEY: "other" }),
  ).toEqual({
    model: {
      provider: "openai",
      name: "m",
      baseUrl: "http://gateway/openai/v1",
      key: "token",
      maxOutputTokens: 8_192,
    },
    outside: undefined,
    prompt: "",
    remarks: { path: undefined, key: "" },
    isReadWrite: false,
    paths: undefined,
    asksForBudget: false,
    maxSteps: 100,
    timeoutMs: 300_000,
    maxContextLength: 400_000,
    git: { path: "git", libraryPath: undefined },
  });
  const all = {
    SETT_WORKSPACE_MODE: "rw",
    SETT_WORKSPACE_PATHS: '["a/"]',
    SETT_ON_BUDGET: "ask",
    SETT_WORK_TIMEOUT: "90s",
    SETT_WORK_STEPS: "3",
  };
  expect(readWorkSettings({ ...least, ...all })).toMatchObject({
    isReadWrite: true,
    paths: ["a/"],
    asksForBudget: true,
    timeoutMs: 90_000,
    maxSteps: 3,
  });
});

test("what is missing or malformed is named", async () => {
  expect((await errorOf(() => readWorkSettings({}))).message).toContain(
    "SETT_MODEL is not set; SETT_MODEL_PROVIDER is not set",
  );
  expect(
    (await errorOf(() => readWorkSettings({ ...least, SETT_WORK_STEPS: "many" }))).message,
  ).toContain("SETT_WORK_STEPS must be a whole number of at least 1");
  expect(
    (await errorOf(() => readWorkSettings({ ...least, OPENAI_BASE_URL: "gateway" }))).message,
  ).toBe("OPENAI_BASE_URL is not a URL.");
  expect(
    (await errorOf(() => readWorkSettings({ ...least, SETT_MODEL_PROVIDER: "anthropic" }))).message,
  ).toBe("ANTHROPIC_BASE_URL is not set.");
});

test("the worker ends before the cub ends it", () => {
  expect(marginMs(300_000)).toBe(5_000);
  expect(marginMs(3_000)).toBe(300);
});

test("what the model runs sees the agent's variables, and no credential", () => {
  const own = { PATH: "/bin", NODE_ENV: "test", SETT_AGENT_NAME: "coder" };
  const hidden = {
    ANTHROPIC_API_KEY: "t",
    OPENAI_BASE_URL: "u",
    BUN_OPTIONS: "x",
    REDIS_URL: "r",
    SETT_PROMPT_EXECUTION: "p",
    SETT_GIT_BINARY: "g",
    LD_LIBRARY_PATH: "/cub",
  };
  expect(commandEnvironment({ ...own, ...hidden }, { COMMIT_1: "abc" })).toEqual({
    ...own,
    COMMIT_1: "abc",
  });
  expect(commandEnvironment({ ...own, ...hidden, SETT_IMAGE_LD_LIBRARY_PATH: "/opt" })).toEqual({
    ...own,
    LD_LIBRARY_PATH: "/opt",
  });
});

test("a model with a small context gets short conversations, and is asked for short answers", () => {
  const small = readWorkSettings({
    ...least,
    SETT_MODEL_CONTEXT: "8192",
    SETT_MODEL_OUTPUT: "2048",
  });
  expect(small.model.maxOutputTokens).toBe(2_048);
  expect(small.maxContextLength).toBe(3 * (8_192 - 2_048));
  // Half of it is left for the question where the longest answer is not known.
  expect(readWorkSettings({ ...least, SETT_MODEL_CONTEXT: "4096" })).toMatchObject({
    model: { maxOutputTokens: 2_048 },
    maxContextLength: 3 * 2_048,
  });
  const own = { SETT_WORK_OUTPUT: "512", SETT_WORK_CONTEXT: "1000" };
  expect(
    readWorkSettings({ ...least, ...own, SETT_MODEL_CONTEXT: "100000", SETT_MODEL_OUTPUT: "9000" }),
  ).toMatchObject({ model: { maxOutputTokens: 512 }, maxContextLength: 1_000 });
});
