import { expect, test } from "bun:test";
import { requireTelemetry } from "../../../../../../apps/cli/up/plan/telemetry-variables.ts";
import { errorOf } from "../../../../../support/error-of.ts";

test.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense" },
    "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address",
  ],
  [
    { OTEL_EXPORTER_OTLP_TIMEOUT: "soon" },
    "OTEL_EXPORTER_OTLP_TIMEOUT must be a whole number of milliseconds",
  ],
  [
    { OTEL_BSP_MAX_QUEUE_SIZE: "0" },
    "OTEL_BSP_MAX_QUEUE_SIZE must be a whole number of at least 1",
  ],
  [{ OTEL_TRACES_EXPORTER: "zipkin" }, "OTEL_TRACES_EXPORTER must be otlp or none"],
  [
    { OTEL_EXPORTER_OTLP_HEADERS: "no-pair" },
    "OTEL_EXPORTER_OTLP_HEADERS must be pairs such as name=value",
  ],
  [{ SETT_TELEMETRY_FROM: "long ago" }, "SETT_TELEMETRY_FROM must be a duration"],
])("what the API would refuse is named, with what to write: %j", async (env, sentence) => {
  const error = await errorOf(() => requireTelemetry(env));
  expect(error).toMatchObject({ code: "usage", message: expect.stringContaining(sentence) });
  expect(error).toMatchObject({ hint: `Set it so, or do without: unset ${Object.keys(env)[0]}` });
});

test("a value is not shown, since headers may have a token", async () => {
  const error = await errorOf(() =>
    requireTelemetry({ OTEL_EXPORTER_OTLP_HEADERS: "secret-token" }),
  );
  expect(JSON.stringify([error.message, error])).not.toContain("secret-token");
});

test("what is empty, right, or is not handed on, is no problem", () => {
  requireTelemetry({
    OTEL_EXPORTER_OTLP_ENDPOINT: "",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector:4318/v1/traces",
    OTEL_EXPORTER_OTLP_CERTIFICATE: "/home/ada/ca.pem",
    OTEL_METRICS_EXPORTER: "nonsense",
  });
});
