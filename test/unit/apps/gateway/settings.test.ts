import { expect, test } from "bun:test";
import { readSettings } from "../../../../apps/gateway/settings.ts";
import { errorOf } from "../../../support/error-of.ts";

const environment = {
  SETT_INSTANCE_NAME: "demo",
  REDIS_URL: "redis://:word@redis:6379",
  SETT_MODELS: "{}",
  SETT_MODEL_AGENTS: "{}",
};

test("cassettes have a folder and a mode, or there are none", async () => {
  expect(readSettings(environment).cassette).toBeUndefined();
  const both = { ...environment, SETT_CASSETTE_DIR: "/cassettes", SETT_CASSETTE_MODE: "replay" };
  expect(readSettings(both).cassette).toEqual({ folder: "/cassettes", mode: "replay" });
  for (const name of ["SETT_CASSETTE_DIR", "SETT_CASSETTE_MODE"]) {
    const error = await errorOf(() => readSettings({ ...both, [name]: undefined }));
    expect(error).toMatchObject({
      code: "environment-invalid",
      message: expect.stringContaining("belong together"),
    });
  }
});

test("the way to a provider is by the proxy of the environment", () => {
  const { wayTo } = readSettings({ ...environment, HTTPS_PROXY: "http://proxy.example:3128" });
  expect(wayTo("https://models.example/v1")).toContain(
    "the proxy proxy.example:3128 of HTTPS_PROXY",
  );
  expect(wayTo("https://127.0.0.1/v1")).toBe("");
});
