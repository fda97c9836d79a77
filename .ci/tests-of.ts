// Which tests try a source? `npx just tests-of lib/async/back-off.ts`, or only the end of the path: `back-off.ts`.
//
// First the tests at the source's own path. Then those that import it, use what it exports by name, or are called after it. Where there are none
// of these, the tests that reach it by way of the fewest other sources.

import { dirname, join, relative } from "node:path";
import { reportFailure } from "./report-failure.ts";

const root = dirname(import.meta.dir);
const shownAtMost = 8;
/** Tests that import this start the program, rather than import its sources. */
const programStarter = "test/support/process/compiled.ts";

type Source = { text: string; imports: string[] };
export type TestOf = { file: string; line: number; reason: string };

/** All sources and tests, by their paths below `folder`. */
export async function readSources(folder = root): Promise<Map<string, Source>> {
  const sources = new Map<string, Source>();
  for (const pattern of ["lib/**/*.{ts,lua}", "apps/**/*.ts", "test/**/*.ts", ".ci/**/*.ts"]) {
    for await (const file of new Bun.Glob(pattern).scan({ cwd: folder, dot: true })) {
      const text = await Bun.file(join(folder, file)).text();
      const specifiers = [...text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, specifier = ""]) => specifier);
      const imports = specifiers.map((specifier) => relative(folder, join(folder, dirname(file), specifier)));
      sources.set(file, { text, imports: file === programStarter ? [...imports, "apps/main.ts"] : imports });
    }
  }
  return sources;
}

/** The best first. Empty only where no test can run the source. */
export function testsOf(source: string, sources: ReadonlyMap<string, Source>): TestOf[] {
  const isOwn = (file: string) => file.startsWith(`test/unit/${source.replace(/^\./, "").replace(/\.\w+$/, "")}.`);
  const base = source.split("/").at(-1)?.replace(/\..*/, "") ?? "";
  const isNamesake = (file: string) => new RegExp(`(?:^|[/-])${base}(?=[-.])[^/]*$`).test(file);
  const tests = [...sources].filter(([file]) => /\.test\.ts$|\/suite\/|\/rules\//.test(file) && file.startsWith("test/"));
  const first = [
    ...tests.filter(([file]) => isOwn(file)).map(([file]) => ({ file, line: 1, reason: "its own test" })),
    ...tests
      .filter(([, { imports }]) => imports.includes(source))
      .map(([file, { text }]) => ({ file, line: lineOf(text, base), reason: "imports it" })),
    ...usesOf(namesOf(source, sources), tests),
    ...tests.filter(([file]) => isNamesake(file)).map(([file]) => ({ file, line: 1, reason: "is called after it" })),
  ];
  const found = first.length > 0 ? first : nearest(source, sources);
  return found.filter(({ file }, at) => found.findIndex((other) => other.file === file) === at);
}

function lineOf(text: string, words: string): number {
  return text.split("\n").findIndex((line) => line.includes(words)) + 1;
}

/** The tests that say one of the names most often come first. */
function usesOf(names: string[], tests: [string, Source][]): TestOf[] {
  if (names.length === 0) return [];
  const pattern = new RegExp(`\\b(?:${names.join("|")})\\b`, "g");
  return tests
    .map(([file, { text }]) => ({ file, text, uses: text.match(pattern) ?? [] }))
    .filter(({ uses }) => uses.length > 0)
    .toSorted((one, other) => other.uses.length - one.uses.length)
    .map(({ file, text, uses: [name = ""] }) => ({ file, line: lineOf(text, name), reason: `uses ${name}` }));
}

/** What the source exports, and its name as a function would have it: `renew-lease.lua` is `renewLease`. Single words may mean anything. */
function namesOf(source: string, sources: ReadonlyMap<string, Source>): string[] {
  const exported = /^export (?:async )?(?:function|class|const) (\w+)/gm;
  const base = source.split("/").at(-1)?.replace(/\..*/, "") ?? "";
  const asFunction = base.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const names = [...(sources.get(source)?.text ?? "").matchAll(exported)].map(([, name = ""]) => name);
  return [...names, asFunction].filter((name) => /[a-z][A-Z]/.test(name));
}

function nearest(source: string, sources: ReadonlyMap<string, Source>): TestOf[] {
  const cameFrom = new Map([[source, source]]);
  for (let level = [source]; level.length > 0; ) {
    const importers = [...sources].filter(
      ([file, { imports }]) => !cameFrom.has(file) && imports.some((one) => level.includes(one)),
    );
    for (const [file, { imports }] of importers) cameFrom.set(file, imports.find((one) => level.includes(one)) ?? source);
    const files = importers.map(([file]) => file);
    const tests = files.filter((file) => file.endsWith(".test.ts"));
    if (tests.length > 0) return tests.map((file) => ({ file, line: 1, reason: `by way of ${cameFrom.get(file)}` }));
    level = files;
  }
  return [];
}

if (import.meta.main) {
  const [wanted = ""] = process.argv.slice(2);
  const sources = await readSources();
  const found = [...sources.keys()].filter((file) => wanted !== "" && (file === wanted || file.endsWith(`/${wanted}`)));
  const [source] = found;
  if (source === undefined) reportFailure("Name a source of lib, apps or .ci: npx just tests-of lib/async/back-off.ts");
  if (found.length > 1) reportFailure(`${wanted} can be: ${found.join(", ")}`);
  const tests = testsOf(source, sources);
  for (const { file, line, reason } of tests.slice(0, shownAtMost)) console.log(`${file}:${line}  ${reason}`);
  if (tests.length > shownAtMost) console.log(`and ${tests.length - shownAtMost} more`);
}
