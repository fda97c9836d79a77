// The pages of the documentation, as tests read them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";

export const root = join(import.meta.dir, "../..");

/** A code block: its language, the line of its first line of code, counted from 1, and its code. */
export type Block = { language: string; line: number; code: string };

/** Every page of the repository, as a path from its root. Pages that git ignores, such as those of packages, are none. */
export async function pagesOfRepository(): Promise<string[]> {
  const listed = await $`git ls-files --cached --others --exclude-standard -- ${"*.md"}`.cwd(root).text();
  return listed.split("\n").filter((path) => path !== "");
}

export function readPage(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\S*)[^\n]*\n(.*?)^```$/gms)].map(({ 1: language = "", 2: code = "", index }) => ({
    language,
    line: text.slice(0, index).split("\n").length + 1,
    code,
  }));
}

/** Without its code blocks; the lines keep their numbers. */
export function proseOf(text: string): string {
  return text.replace(/^```.*?^```$/gms, (block) => block.replace(/[^\n]+/g, ""));
}

/** The one code block of a page in which `part` stands. */
export function blockWith(path: string, part: string): string {
  const found = blocksOf(readPage(path)).filter(({ code }) => code.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} code blocks of ${path} hold ${JSON.stringify(part)}, not one.`);
  return found[0]?.code ?? "";
}
