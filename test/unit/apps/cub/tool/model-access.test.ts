import { expect, test } from "bun:test";
import {
  type ModelAccess,
  modelVariables,
  withModel,
} from "../../../../../apps/cub/tool/model-access.ts";

const access: ModelAccess = {
  gatewayUrl: "http://sett-demo-gateway:8080",
  model: "claude-x",
  provider: "anthropic",
  name: "strong",
};

test("clients of both providers find the gateway and the token, and every command the name of its model", () => {
  expect(modelVariables(access, "sett_grant.x")).toEqual({
    ANTHROPIC_BASE_URL: "http://sett-demo-gateway:8080/anthropic",
    ANTHROPIC_API_KEY: "sett_grant.x",
    OPENAI_BASE_URL: "http://sett-demo-gateway:8080/openai/v1",
    OPENAI_API_KEY: "sett_grant.x",
    SETT_MODEL: "claude-x",
    SETT_MODEL_PROVIDER: "anthropic",
  });
});

test("a command finds the limits of its model, where they are known", () => {
  const limits = { contextTokens: 32_768, outputTokens: 4_096 };
  expect(modelVariables({ ...access, ...limits }, "sett_grant.x")).toMatchObject({
    SETT_MODEL_CONTEXT: "32768",
    SETT_MODEL_OUTPUT: "4096",
  });
});

test("they replace what the agent has set itself, and no second credential goes beside the token", () => {
  const own = {
    PATH: "/bin",
    ANTHROPIC_API_KEY: "sk-own",
    ANTHROPIC_AUTH_TOKEN: "sk-other",
    ANTHROPIC_MODEL: "claude-x",
  };
  const merged = withModel(own, modelVariables(access, "sett_grant.x"));
  expect(merged).toMatchObject({
    PATH: "/bin",
    ANTHROPIC_API_KEY: "sett_grant.x",
    ANTHROPIC_MODEL: "claude-x",
  });
  expect(merged).not.toHaveProperty("ANTHROPIC_AUTH_TOKEN");
});

test("an agent without a model keeps its own", () => {
  const own = { ANTHROPIC_API_KEY: "sk-own", ANTHROPIC_AUTH_TOKEN: "sk-other" };
  expect(withModel(own, undefined)).toEqual(own);
});
