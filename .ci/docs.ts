// Writes what is generated in the documentation: `just docs`. test/unit/docs/generated.test.ts
// fails where a page is stale.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generatedPages, root } from "./docs/pages.ts";

for (const [path, { text, isStale }] of await generatedPages()) {
  if (isStale) await writeFile(join(root, path), text);
  console.log(`${isStale ? "written " : "the same"}  ${path}`);
}
