import { describe, expect, test } from "bun:test";
import { z } from "zod";
import {
  DurationText,
  jsonText,
  PortText,
  readEnvironment,
} from "../../../../lib/service/environment.ts";
import { errorOf } from "../../../support/error-of.ts";

describe("a duration", () => {
  test.each([
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["45", 45_000],
    [" 0 ", 0],
  ])("%j is %d milliseconds", (text, ms) => {
    expect(DurationText.parse(text)).toBe(ms);
  });

  test.each(["", "5d", "-5s", "1.5s", "5 m", "soon"])("%j is refused", (text) => {
    expect(DurationText.safeParse(text).success).toBe(false);
  });
});

const Settings = z.object({
  PORT: PortText,
  TIMEOUT: DurationText.default(1_000),
  COMMAND: jsonText(z.array(z.string()), '["/run"]'),
});

test("settings are read from their texts; other variables do not matter", () => {
  const settings = readEnvironment(Settings, { PORT: "8080", COMMAND: '["a","b"]', HOME: "/root" });
  expect(settings).toEqual({ PORT: 8080, TIMEOUT: 1_000, COMMAND: ["a", "b"] });
});

test("one error names every variable that is missing or malformed", async () => {
  const error = await errorOf(async () =>
    readEnvironment(Settings, { TIMEOUT: "soon", COMMAND: "{", PORT: "1" }),
  );
  expect(error).toMatchObject({
    code: "environment-invalid",
    message:
      'The environment is not complete: TIMEOUT must be a duration such as 30s, 5m or 250ms; COMMAND must be JSON such as ["/run"].',
  });
  expect(await errorOf(async () => readEnvironment(Settings, { PORT: "1" }))).toMatchObject({
    message: "The environment is not complete: COMMAND is not set.",
  });
});
