// The reference of sett.yml, from its JSON Schema.
import { configSchema } from "../../lib/config/config-schema.ts";
import { bullets, sentence } from "./markdown.ts";

type Schema = {
  type?: string | string[];
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  minimum?: number;
  maximum?: number;
  pattern?: string;
};

export const settYmlRegions = {
  "sett-yml-keys": () => {
    const { properties = {}, required } = configSchema() as Schema;
    return Object.entries(properties)
      .flatMap(([name, schema]) => [
        `### ${name}`,
        bullets([line(name, schema, required?.includes(name) === true), ...below(name, schema)]),
      ])
      .join("\n\n");
  },
};

/** The keys inside of a key, each with its whole path. */
function below(path: string, schema: Schema): string[] {
  const { properties = {}, required, additionalProperties, items, anyOf = [] } = schema;
  const inner: [string, Schema][] = Object.entries(properties).map(([name, one]) => [
    `${path}.${name}`,
    one,
  ]);
  const ofMap =
    typeof additionalProperties === "object" ? below(`${path}.NAME`, additionalProperties) : [];
  const ofList = items === undefined ? [] : below(`${path}[]`, items);
  const ofEither = anyOf.flatMap((one) => below(path, one));
  const own = inner.flatMap(([name, one]) => [
    line(name, one, required?.includes(name.slice(path.length + 1)) === true),
    ...below(name, one),
  ]);
  return [...own, ...ofMap, ...ofList, ...ofEither];
}

function line(path: string, schema: Schema, isRequired: boolean): string {
  const facts = [
    typeOf(schema),
    ...(isRequired ? ["required"] : []),
    ...(schema.default === undefined || isEmpty(schema.default)
      ? []
      : [`default \`${textOf(schema.default)}\``]),
  ];
  return `\`${path}\` (${facts.join(", ")}): ${sentence(schema.description ?? "")}`;
}

function typeOf({
  type,
  enum: words,
  const: only,
  anyOf,
  items,
  minimum,
  maximum,
  properties,
  pattern,
}: Schema): string {
  if (only !== undefined) return `\`'${String(only)}'\``;
  if (words !== undefined) return words.map((word) => `\`${String(word)}\``).join(" or ");
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(" or ");
  if (type === "array")
    return items === undefined || items.type === "object"
      ? "list"
      : `list of ${plural(typeOf(items))}`;
  if (properties !== undefined || type === "object") return "map";
  if (type === "integer" && minimum !== undefined && maximum !== undefined)
    return `${minimum} to ${maximum}`;
  if (type === "integer") return "whole number";
  if (pattern?.includes("ms|s|m|h|d") === true) return "duration";
  if (pattern?.includes("[kK") === true) return "size";
  if (type === "string") return "text";
  return Array.isArray(type) ? type.join(" or ") : String(type);
}

function plural(text: string): string {
  return text === "text" ? "texts" : text;
}

function isEmpty(value: unknown): boolean {
  return (
    value === false ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0)
  );
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}
