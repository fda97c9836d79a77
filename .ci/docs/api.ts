// The reference of the API, from its OpenAPI document.

import { createApi } from "../../apps/api/app.ts";
import { defaultLimits } from "../../apps/api/deps.ts";
import { documentOf } from "../../apps/api/document.ts";
import { createApiMetrics } from "../../apps/api/metrics.ts";
import { systemClock } from "../../lib/async/clock.ts";
import { suggestFor } from "../../lib/client/text/suggest.ts";
import { draw } from "../../lib/drawing/draw.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { blackboardInMemory } from "../../test/support/blackboard/in-memory.ts";
import { bullets, sentence } from "./markdown.ts";

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: { default?: unknown; enum?: unknown[] };
};
type Operation = {
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema }> }>;
};
type Schema = { $ref?: string; properties?: Record<string, unknown>; required?: string[] };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

export const apiRegions = { "api-routes": routes };

async function routes(): Promise<string> {
  const document = await apiDocument();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags ?? []))];
  return tags
    .map((tag) => {
      const own = operations.filter(({ operation }) => operation.tags?.includes(tag));
      return [
        `### ${tag}`,
        bullets(own.map(({ path, method, operation }) => line(method, path, operation, document))),
      ].join("\n\n");
    })
    .join("\n\n");
}

async function apiDocument(): Promise<Document> {
  await using board = await blackboardInMemory({ instance: InstanceName.parse("any") }).open();
  const over = new AbortController();
  const { app } = createApi(
    {
      ...{
        board,
        version: "",
        tokens: [],
        isSecure: false,
        origins: [],
        limits: defaultLimits,
        clock: systemClock,
      },
      ...{
        metrics: createApiMetrics(),
        log: createJsonLog(() => {}, systemClock.now),
        newId: () => "",
        suggest: suggestFor(undefined),
        drawSvg: draw,
      },
    },
    over.signal,
  );
  return JSON.parse(JSON.stringify(documentOf(app, ""))) as Document;
}

function line(method: string, path: string, operation: Operation, document: Document): string {
  const { summary = "", description = "", parameters = [] } = operation;
  const query = parameters.filter((one) => one.in === "query").map(parameterText);
  const members = membersOf(operation.requestBody?.content["application/json"]?.schema, document);
  const answers = Object.entries(operation.responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(([type, { schema }]) => `${status} ${nameOf(schema) ?? type}`),
    );
  return [
    `\`${method.toUpperCase()} ${path}\`:`,
    sentence(summary),
    sentence(description),
    query.length === 0 ? "" : `Query: ${query.join(", ")}.`,
    members.length === 0 ? "" : `Body: ${members.join(", ")}.`,
    `Answers ${answers.join(", or ")}.`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

function parameterText({ name, schema }: Parameter): string {
  const { default: preset, enum: words } = schema ?? {};
  const facts = [
    ...(words === undefined ? [] : [words.join(", ")]),
    ...(preset === undefined ? [] : [`default ${preset}`]),
  ];
  return facts.length === 0 ? `\`${name}\`` : `\`${name}\` (${facts.join("; ")})`;
}

function membersOf(schema: Schema | undefined, { components }: Document): string[] {
  const whole = components.schemas[nameOf(schema) ?? ""] ?? schema;
  return Object.keys(whole?.properties ?? {}).map((name) =>
    whole?.required?.includes(name) ? `\`${name}\`` : `\`${name}\` (optional)`,
  );
}

function nameOf(schema: Schema | undefined): string | undefined {
  return schema?.$ref?.split("/").at(-1);
}
