// docs/grafana/sett.json: a dashboard that Grafana can draw, of metrics that are there.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { z } from "zod";
import { createInstanceMetrics } from "../../../lib/telemetry/metrics.ts";
import { root } from "../../support/root.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: as Grafana writes a variable.
const variable = "${datasource}";
const datasource = z.strictObject({ type: z.literal("prometheus"), uid: z.literal(variable) });
const Target = z.strictObject({
  refId: z.string().min(1),
  expr: z.string().min(1),
  legendFormat: z.string(),
  datasource,
  instant: z.boolean().optional(),
});
const gridPos = z.strictObject({
  x: z.int().min(0),
  y: z.int().min(0),
  w: z.int().min(1),
  h: z.int().min(1),
});
const Panel = z.object({
  id: z.int().min(1),
  type: z.enum(["row", "stat", "timeseries"]),
  title: z.string().min(1),
  gridPos,
  targets: z.array(Target).default([]),
});
const Variable = z.object({
  name: z.string(),
  type: z.enum(["datasource", "query"]),
  definition: z.string().optional(),
});
/** The parts of Grafana's schema (schemaVersion 39) that this dashboard uses. */
const Dashboard = z.object({
  uid: z.string().max(40),
  title: z.string(),
  schemaVersion: z.literal(39),
  templating: z.object({ list: z.array(Variable) }),
  panels: z.array(Panel),
});

const dashboard = Dashboard.parse(
  JSON.parse(readFileSync(join(root, "docs/grafana/sett.json"), "utf8")),
);
const { registry } = createInstanceMetrics();
const expressions = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ title, expr })),
);

/** Grafana puts these there before it asks Prometheus. */
const filledIn = (expr: string) =>
  expr.replaceAll("$__rate_interval", "1m").replaceAll(/\$\w+/g, ".*");

/** The text of each node of this kind. */
function nodesOf(expr: string, kind: string): string[] {
  const found: string[] = [];
  parser.parse(expr).iterate({
    enter(node) {
      if (node.name === kind) found.push(expr.slice(node.from, node.to));
    },
  });
  return found;
}

/** The names that Prometheus has for a metric, and its labels. */
function seriesOf(): Map<string, Set<string>> {
  const series = new Map<string, Set<string>>();
  for (const metric of registry.getMetricsAsArray()) {
    const { name, labelNames = [] } = metric as unknown as { name: string; labelNames?: string[] };
    const isHistogram = "buckets" in metric;
    const names = isHistogram
      ? ["_bucket", "_sum", "_count"].map((ending) => name + ending)
      : [name];
    for (const one of names)
      series.set(one, new Set([...labelNames, ...(isHistogram ? ["le"] : []), "job", "instance"]));
  }
  return series;
}

test("each query is PromQL without a mistake", () => {
  const wrong = expressions.filter(({ expr }) => nodesOf(filledIn(expr), "⚠").length > 0);
  expect(wrong).toEqual([]);
  expect(expressions.length).toBeGreaterThan(20);
  expect(nodesOf("sum by (agent) (up{", "⚠")).not.toEqual([]);
});

test("each metric and each label that a query names exists", () => {
  const series = seriesOf();
  const variables = dashboard.templating.list.flatMap(({ definition = "" }) => {
    const [, expr = ""] = /^label_values\((.+), \w+\)$/.exec(definition) ?? [];
    return expr === "" ? [] : [{ title: definition, expr }];
  });
  expect(variables).toHaveLength(3);
  const wrong = [...expressions, ...variables].flatMap(({ title, expr }) => {
    const text = filledIn(expr);
    const metrics = nodesOf(text, "Identifier").filter((name) => name.startsWith("sett_"));
    const labels = [
      ...nodesOf(text, "LabelName"),
      ...nodesOf(text, "GroupingLabels").flatMap((list) => list.match(/\w+/g) ?? []),
    ];
    const known = new Set(metrics.flatMap((name) => [...(series.get(name) ?? [])]));
    const unknown = [
      ...metrics.filter((name) => !series.has(name)),
      ...labels.filter((name) => !known.has(name)),
    ];
    return metrics.length === 0 || unknown.length > 0
      ? [`${title}: ${unknown.join(", ") || "no metric"}`]
      : [];
  });
  expect(wrong).toEqual([]);
});

test("panels have ids of their own, fit into the grid of 24 columns, and cover no other", () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)}/${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
});
