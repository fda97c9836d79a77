import { expect, test } from "bun:test";
import { readEnvironment } from "../../../../lib/service/environment.ts";
import { TelemetryEnvironment, telemetrySettings } from "../../../../lib/telemetry/settings.ts";

const read = (environment: Record<string, string>) =>
  telemetrySettings(readEnvironment(TelemetryEnvironment, environment), () => "");

test("without an endpoint there are no traces, and what is open is looked for in the last day", () => {
  expect(read({})).toEqual({ traces: undefined, historyMs: 86_400_000, sinceMs: 0 });
});

test("the endpoint of all signals gets the path of traces, that of traces alone is the whole address", () => {
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" }).traces?.url).toBe(
    "http://collector:4318/v1/traces",
  );
  const both = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://one",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://two/traces",
  };
  expect(read(both).traces?.url).toBe("https://two/traces");
});

test("headers and resource attributes are pairs, percent-encoded where needed", () => {
  const { traces } = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc=, x-tenant=one",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-tenant=two",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=prod,service.name=other",
    OTEL_SERVICE_NAME: "clan",
  });
  expect(traces?.headers).toEqual({ authorization: "Bearer abc=", "x-tenant": "two" });
  expect(traces?.resource).toEqual({ "deployment.environment": "prod", "service.name": "clan" });
});

test("the switches of OpenTelemetry turn traces off", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
  expect(read({ ...endpoint, OTEL_SDK_DISABLED: "true" }).traces).toBeUndefined();
  expect(read({ ...endpoint, OTEL_TRACES_EXPORTER: "none" }).traces).toBeUndefined();
  expect(read({ ...endpoint, OTEL_SDK_DISABLED: "false" }).traces).toBeDefined();
});

test("what Sett cannot do is refused with a sentence that names the variable", () => {
  expect(() => read({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toThrow(
    "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, the one protocol that Sett speaks",
  );
  expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" })).toThrow(
    /OTEL_EXPORTER_OTLP_ENDPOINT must be an http/,
  );
  expect(() => read({ OTEL_RESOURCE_ATTRIBUTES: "prod" })).toThrow(
    /OTEL_RESOURCE_ATTRIBUTES must be pairs/,
  );
});
