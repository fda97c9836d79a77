// The pages of the documentation with what is generated in them: regions between two marks, and
// whole files.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import { configSchemaText, schemaFile } from "../../lib/config/config-schema.ts";
import { regions } from "./regions.ts";

export const root = dirname(dirname(import.meta.dir));

const schemaPath = `docs/reference/${schemaFile}`;
const marked = /(<!-- generated: (\S+) -->\n)[\s\S]*?(<!-- end of \2 -->)/g;

export type Page = { text: string; isStale: boolean };

/** Path → the text that the page should have. Throws where a page has an unknown mark. */
export async function generatedPages(): Promise<Map<string, Page>> {
  const pages = new Map<string, Page>();
  for await (const path of new Glob("docs/**/*.md").scan(root)) {
    const before = await readFile(join(root, path), "utf8");
    const text = await withRegions(path, before);
    if (before.includes("<!-- generated:")) pages.set(path, { text, isStale: text !== before });
  }
  const schema = configSchemaText();
  const before = await readFile(join(root, schemaPath), "utf8").catch(() => "");
  return pages.set(schemaPath, { text: schema, isStale: schema !== before });
}

async function withRegions(path: string, page: string): Promise<string> {
  const texts = new Map<string, string>();
  for (const [, , name = ""] of page.matchAll(marked)) {
    const generate = regions[name];
    if (generate === undefined)
      throw new Error(`${path}: nothing is generated under the name ${name}.`);
    texts.set(name, await generate());
  }
  return page.replaceAll(marked, (_, begin, name, end) => `${begin}\n${texts.get(name)}\n\n${end}`);
}
