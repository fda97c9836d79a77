// The services' reference: settings from their schemas, metrics from their registries, log lines
// from the source.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";
import type { Registry } from "prom-client";
import type { z } from "zod";
import { createApiMetrics } from "../../apps/api/metrics.ts";
import { Environment as ApiEnvironment } from "../../apps/api/settings.ts";
import { createCubMetrics } from "../../apps/cub/program/metrics.ts";
import { WorkEnvironment } from "../../apps/cub/prompt-worker/settings.ts";
import { Environment as CubEnvironment } from "../../apps/cub/settings.ts";
import { createEgressMetrics } from "../../apps/gateway/egress/metrics.ts";
import { EgressEnvironment } from "../../apps/gateway/egress/settings.ts";
import { createGatewayMetrics } from "../../apps/gateway/metrics.ts";
import { PacksEnvironment } from "../../apps/gateway/packs/settings.ts";
import { Environment as GatewayEnvironment } from "../../apps/gateway/settings.ts";
import { createOrchestratorMetrics } from "../../apps/orchestrator/leader/metrics.ts";
import {
  LogReaderEnvironment,
  NotaryEnvironment,
  Environment as OrchestratorEnvironment,
  RecorderEnvironment,
  RedisWayEnvironment,
  StarterEnvironment,
} from "../../apps/orchestrator/settings.ts";
import { createInstanceMetrics } from "../../lib/telemetry/metrics.ts";
import { TelemetryEnvironment } from "../../lib/telemetry/settings.ts";
import { bullets, sentence } from "./markdown.ts";

const root = join(import.meta.dir, "../..");

export const serviceRegions = {
  "orchestrator-settings": () => settings(OrchestratorEnvironment),
  "gateway-settings": () => settings(GatewayEnvironment),
  "api-settings": () => settings(ApiEnvironment),
  "egress-settings": () => settings(EgressEnvironment),
  "packs-settings": () => settings(PacksEnvironment),
  "starter-settings": () => settings(StarterEnvironment),
  "log-reader-settings": () => settings(LogReaderEnvironment),
  "recorder-settings": () => settings(RecorderEnvironment),
  "notary-settings": () => settings(NotaryEnvironment),
  "redis-way-settings": () => settings(RedisWayEnvironment),
  "cub-settings": () => settings(CubEnvironment),
  "worker-settings": () => settings(WorkEnvironment),
  "orchestrator-metrics": () => metrics(createOrchestratorMetrics().registry),
  "gateway-metrics": () => metrics(createGatewayMetrics().registry),
  "api-metrics": () => metrics(createApiMetrics().registry),
  "egress-metrics": () => metrics(createEgressMetrics().registry),
  "cub-metrics": () => metrics(createCubMetrics().registry),
  "telemetry-settings": () => settings(TelemetryEnvironment),
  "instance-metrics": () => metrics(createInstanceMetrics().registry),
  "orchestrator-log": () => logLines("apps/orchestrator"),
  "gateway-log": () => logLines("apps/gateway", "apps/gateway/egress", "apps/gateway/packs"),
  "api-log": () => logLines("apps/api"),
  "egress-log": () => logLines("apps/gateway/egress"),
  "packs-log": () => logLines("apps/gateway/packs"),
  "cub-log": () => logLines("apps/cub"),
};

function settings(environment: z.ZodObject): string {
  return bullets(
    Object.entries(environment.shape as Record<string, z.ZodType>).map(([name, setting]) => {
      const unset = setting.safeParse(undefined);
      const isPlain = typeof unset.data === "string" || typeof unset.data === "number";
      const fact = !unset.success
        ? "required"
        : isPlain
          ? `default \`${textOf(setting, unset.data)}\``
          : "optional";
      return `\`${name}\` (${fact}): ${sentence(setting.description ?? "")}`;
    }),
  );
}

/** Durations are milliseconds inside, and have a unit outside. */
function textOf(setting: z.ZodType, value: unknown): string {
  const isDuration = typeof value === "number" && setting.safeParse("1s").data === 1_000;
  return isDuration ? `${value / 1_000}s` : String(value);
}

async function metrics(registry: Registry): Promise<string> {
  const all = await registry.getMetricsAsJSON();
  return bullets(
    all.map(({ name, help, type }) => {
      const metric: object = registry.getSingleMetric(name) ?? {};
      const labels =
        "labelNames" in metric && Array.isArray(metric.labelNames) ? metric.labelNames : [];
      const by =
        labels.length === 0 ? "" : `, by ${labels.map((label) => `\`${label}\``).join(" and ")}`;
      return `\`${name}\` (${String(type)}${by}): ${sentence(help)}`;
    }),
  );
}

/** Every message that the source writes as a plain string, with its level. */
async function logLines(folder: string, ...except: string[]): Promise<string> {
  const all = await Array.fromAsync(new Glob(`${folder}/**/*.ts`).scan(root));
  const files = all.filter((file) => !except.some((other) => file.startsWith(`${other}/`)));
  const sources = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
  const found = sources.flatMap((source) => [
    ...source.matchAll(/\.(info|warn|error)\(\s*"([^"]+)"/g),
  ]);
  const levels = ["info", "warn", "error"];
  return levels
    .map((level) => {
      const messages = found.flatMap(([, at, message = ""]) => (at === level ? [message] : []));
      return bullets([
        `${level}: ${[...new Set(messages)]
          .toSorted()
          .map((message) => `\`${message}\``)
          .join(", ")}`,
      ]);
    })
    .join("\n");
}
