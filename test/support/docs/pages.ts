// The pages of the documentation, as tests read them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { root } from "../root.ts";

/** A code block: its language, the line of its first line of code, counted from 1, and its code. */
/** `remark`: the words behind the language, which no reader sees. */
export type Block = { language: string; remark: string; line: number; code: string };

/**
 * Every page of the repository, as a path from its root. Pages that git ignores, such as those of
 * packages, are none.
 */
export async function pagesOfRepository(): Promise<string[]> {
  const listed = await $`git ls-files --cached --others --exclude-standard -- ${"*.md"}`
    .cwd(root)
    .text();
  return listed.split("\n").filter((path) => path !== "");
}

export function readPage(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\S*) *([^\n]*)\n(.*?)^```$/gms)].map(
    ({ 1: language = "", 2: remark = "", 3: code = "", index }) => ({
      language,
      remark,
      line: text.slice(0, index).split("\n").length + 1,
      code,
    }),
  );
}

/** Leaves out its code blocks; the lines keep their numbers. */
export function proseOf(text: string): string {
  return text.replace(/^```.*?^```$/gms, (block) => block.replace(/[^\n]+/g, ""));
}

/**
 * The text from its heading to the next one of the same rank or a higher one. Throws where there is
 * none.
 */
export function sectionOf(text: string, heading: string): string {
  const start = `\n${text}`.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`There is no section ${JSON.stringify(heading)}.`);
  const section = text.slice(start + heading.length);
  const rank = heading.indexOf(" ");
  const end = section.search(new RegExp(`^#{1,${rank}} `, "m"));
  return end < 0 ? section : section.slice(0, end);
}

/**
 * Returns what a command of the page writes into a file: `cat > FILE <<'END'`. Throws where none
 * does.
 */
export function fileWrittenBy(path: string, file: string): string {
  const [, after] = readPage(path).split(`\ncat > ${file} <<'END'\n`);
  const [content, end] = after?.split(/^END$/m) ?? [];
  if (content === undefined || end === undefined)
    throw new Error(`No command of ${path} writes ${file}.`);
  return content;
}

/**
 * The headings of a page as forges name them in links: lower case, without punctuation, with a
 * hyphen for each space. A repeated one is numbered.
 */
export function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return [...proseOf(readPage(page)).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => {
    const anchor = heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}
