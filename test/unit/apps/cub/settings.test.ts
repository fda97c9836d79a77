import { describe, expect, test } from "bun:test";
import { readSettings } from "../../../../apps/cub/settings.ts";
import type { ModelAccess } from "../../../../apps/cub/tool/model-access.ts";
import { toolEnvironment } from "../../../../apps/cub/tool/tool-environment.ts";
import { AgentName } from "../../../../lib/model/ids.ts";

const required = {
  SETT_INSTANCE_NAME: "demo",
  SETT_AGENT_NAME: "coder",
  REDIS_URL: "redis://:secret@redis:6379",
  SETT_AGENT_COMMAND: '["/app/run.sh","--fast"]',
};

describe("the cub's settings", () => {
  test("need four variables; the role is the name unless it is set", () => {
    expect(readSettings(required)).toMatchObject({
      instance: "demo",
      agentName: "coder",
      command: ["/app/run.sh", "--fast"],
      role: AgentName.parse("coder"),
      replicas: 1,
      strategy: "reuse",
      healthPort: 8080,
      shutdownTimeoutMs: 30_000,
      redisGiveUpMs: 60_000,
      workspaceDir: "/workspace",
      git: { binary: "/cub/git", objectsDir: "/git/objects", exchangeDir: "/git/exchange" },
    });
  });

  test("an empty command is accepted: the work fails", () => {
    expect(readSettings({ ...required, SETT_AGENT_COMMAND: "[]" }).command).toEqual([]);
  });

  test("the part of the repository is a list of its paths", () => {
    expect(readSettings(required).paths).toBeUndefined();
    const of = (SETT_WORKSPACE_PATHS: string) =>
      readSettings({ ...required, SETT_WORKSPACE_PATHS });
    expect(of('["services/door/","*.md"]').paths).toEqual(["services/door/", "*.md"]);
    expect(() => of('["../other/"]')).toThrow("SETT_WORKSPACE_PATHS");
  });

  test("an agent has no model unless the gateway, the model and its provider are set", () => {
    expect(readSettings(required)).toMatchObject({ model: undefined, onBudget: "fail" });
    const whole = {
      SETT_GATEWAY_URL: "http://gateway:8080/",
      SETT_MODEL: "gpt-x",
      SETT_MODEL_PROVIDER: "openai",
    };
    const model = {
      gatewayUrl: "http://gateway:8080",
      model: "gpt-x",
      provider: "openai",
      name: "gpt-x",
    };
    expect(readSettings({ ...required, ...whole }).model).toEqual(model as ModelAccess);
    expect(readSettings({ ...required, ...whole, SETT_MODEL_NAME: "strong" }).model?.name).toBe(
      "strong",
    );
    for (const name of Object.keys(whole)) {
      expect(() => readSettings({ ...required, ...whole, [name]: undefined })).toThrow(
        "belong together",
      );
    }
  });

  test.each(Object.keys(required))("say so when %s is missing", (name) => {
    expect(() => readSettings({ ...required, [name]: undefined })).toThrow(`${name} is not set`);
  });

  test.each([
    ["SETT_INSTANCE_NAME", "No Good"],
    ["SETT_AGENT_COMMAND", "/app/run.sh"],
    ["SETT_AGENT_COMMAND", "[1]"],
    ["REDIS_URL", "redis"],
    ["SETT_AGENT_REPLICAS", "many"],
    ["SETT_HEALTH_PORT", "99999"],
    ["SETT_SHUTDOWN_TIMEOUT", "soon"],
    ["SETT_GATEWAY_URL", "gateway"],
    ["SETT_MODEL_PROVIDER", "acme"],
    ["SETT_ON_BUDGET", "beg"],
  ])("name %s when it is %p", (name, value) => {
    expect(() => readSettings({ ...required, [name]: value })).toThrow(name);
  });
});

describe("the environment of the agent's commands", () => {
  test("is the image's and the agent's, with variables about the instance", () => {
    const own = {
      PATH: "/bin",
      HOME: "/home/me",
      GITHUB_TOKEN: "t",
      SETT_INSTANCE_NAME: "demo",
      SETT_AGENT_NAME: "coder",
    };
    const prompts = { SETT_PROMPT_CLAIM: "c", SETT_PROMPT_EXECUTION: "e" };
    expect(toolEnvironment({ ...own, ...prompts }, "writer")).toEqual({
      ...own,
      ...prompts,
      SETT_AGENT_ROLE: "writer",
    });
  });

  test("has neither the URL of Redis nor the settings of the cub", () => {
    const internals = {
      REDIS_URL: "redis://:secret@redis:6379",
      SETT_AGENT_COMMAND: "[]",
      SETT_GIT_BINARY: "/cub/git",
      SETT_HEALTH_PORT: "1",
      BUN_OPTIONS: "--inspect",
      BUN_BE_BUN: "1",
    };
    expect(toolEnvironment(internals, "coder")).toEqual({ SETT_AGENT_ROLE: "coder" });
  });

  test("sends no request to this machine to a proxy that the image names", () => {
    const image = { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: "inner.example" };
    const hosts = "inner.example,localhost,127.0.0.1,127.0.0.0/8,::1,0.0.0.0,::";
    const seen = { ...image, NO_PROXY: hosts, no_proxy: hosts, SETT_AGENT_ROLE: "coder" };
    expect(toolEnvironment({ HTTPS_PROXY: "" }, "coder", image)).toEqual(seen);
  });

  test("has the image's own library path back, or none", () => {
    expect(toolEnvironment({ LD_LIBRARY_PATH: "/cub" }, "c").LD_LIBRARY_PATH).toBeUndefined();
    const restored = toolEnvironment(
      { LD_LIBRARY_PATH: "/cub", SETT_IMAGE_LD_LIBRARY_PATH: "/opt/lib" },
      "c",
    );
    expect(restored).toEqual({ LD_LIBRARY_PATH: "/opt/lib", SETT_AGENT_ROLE: "c" });
  });
});
