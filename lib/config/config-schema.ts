// The JSON Schema of sett.yml, by which editors complete and check it while it is written.
import { z } from "zod";
import { SettFile } from "../model/config.ts";

/**
 * The file beside a sett.yml that the first line of sett.yml names: an editor finds it without a
 * network.
 */
export const schemaFile = "sett.schema.json";

/**
 * The schema of sett.yml: types, words, required and unknown keys. Only `sett validate` checks
 * which keys exclude or need each other.
 */
export function configSchema(): Record<string, unknown> {
  const title = "sett.yml";
  return {
    title,
    ...z.toJSONSchema(SettFile, {
      io: "input",
      override: ({ jsonSchema }) => withoutUnsafeBounds(jsonSchema),
    }),
  };
}

/** As the content of a file. */
export function configSchemaText(): string {
  return `${JSON.stringify(configSchema(), undefined, 2)}\n`;
}

/** zod bounds every integer by the integers of JavaScript, which has no meaning for the file. */
function withoutUnsafeBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
