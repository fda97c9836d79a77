// Finds the page: a compiled program carries it, and beside the sources .ci/page.ts has written it.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { pagePackName } from "../../lib/service/page-pack.ts";

/** The text of the pack. Undefined where the page was not built: then the API serves none. */
export async function carriedPage(): Promise<string | undefined> {
  const embedded = Bun.embeddedFiles.find((file) => "name" in file && file.name === pagePackName);
  if (embedded !== undefined) return await embedded.text();
  try {
    return await readFile(fileURLToPath(import.meta.resolve(`../../bin/page/${pagePackName}`)), {
      encoding: "utf8",
    });
  } catch {
    return undefined;
  }
}
