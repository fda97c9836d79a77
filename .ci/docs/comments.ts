// The comments beside the members of an object or a list in the source, which describe each member.
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/**
 * Member → its comment, for the members that have one, in the block that begins with this name.
 * Throws where there is none.
 */
export async function commentsOf(file: string, name: string): Promise<Map<string, string>> {
  const source = await readFile(join(root, file), "utf8");
  const from = source.search(new RegExp(`\\b(?:const|function) ${name}\\b`));
  const block = from === -1 ? "" : source.slice(from, source.indexOf("\n}", from));
  const pairs = [...block.matchAll(/\/\*\*([\s\S]*?)\*\/\s*"?([\w-]+)"?/g)];
  if (pairs.length === 0) throw new Error(`${file} has no comments in ${name}.`);
  return new Map(
    pairs.map(([, comment = "", member = ""]) => [
      member,
      comment.replaceAll(/\s*\n\s*\* ?/g, " ").trim(),
    ]),
  );
}
