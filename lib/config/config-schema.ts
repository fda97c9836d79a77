// The JSON Schema of sett.yml, by which editors complete and check it while it is written.
import { z } from "zod";
import { SettFile } from "../model/config.ts";

/** The file beside a sett.yml that the file's first line names: no network and no path of one machine is needed to find it. */
export const schemaFile = "sett.schema.json";

/**
 * What sett.yml may say, as far as a schema can: types, words, required and unknown keys. What must stand beside what is left to `sett validate`.
 */
export function configSchema(): Record<string, unknown> {
  const title = "sett.yml";
  return { title, ...z.toJSONSchema(SettFile, { io: "input", override: ({ jsonSchema }) => withoutUnsafeBounds(jsonSchema) }) };
}

/** As it stands in a file. */
export function configSchemaText(): string {
  return `${JSON.stringify(configSchema(), undefined, 2)}\n`;
}

/** zod bounds every integer by what a number of JavaScript can hold, which says nothing about the file. */
function withoutUnsafeBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
