// Which tests try a source? `npx just tests-of lib/async/back-off.ts`, or only the end of the path:
// `back-off.ts`.
//
// First the tests at the source's own path, then those of its room that are called after it, those
// that import it (or type it, if it is a command), and those that use what it exports by name.
// Where there are none of these, the tests that reach it by way of the fewest other sources.

import { dirname, join, relative } from "node:path";
import { reportFailure } from "./report-failure.ts";

const root = dirname(import.meta.dir);
const shownAtMost = 10;
/** Tests that import this start the program, rather than import its sources. */
const programStarter = "test/support/process/compiled.ts";
/** A test that imports this starts the page, in a browser. */
const pageStarter = "test/support/page/page-scene.ts";
const listOfCommands = "apps/cli/commands.ts";

type Source = { text: string; imports: string[] };
export type TestOf = { file: string; line: number; reason: string };

/** All sources and tests, by their paths below `folder`. */
export async function readSources(folder = root): Promise<Map<string, Source>> {
  const sources = new Map<string, Source>();
  for (const pattern of [
    "lib/**/*.{ts,lua}",
    "apps/**/*.{ts,tsx}",
    "test/**/*.ts",
    ".ci/**/*.ts",
  ]) {
    for await (const file of new Bun.Glob(pattern).scan({ cwd: folder, dot: true })) {
      const text = await Bun.file(join(folder, file)).text();
      const imported = [...text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)]
        .map(([, specifier = ""]) => relative(folder, join(folder, dirname(file), specifier)))
        // The list of all commands: who imports it wants one of them, or the list itself.
        .filter((one) => file !== listOfCommands || !one.startsWith("apps/cli/commands/"));
      sources.set(file, {
        text,
        imports: [...imported, ...(file.startsWith("test/") ? startedBy(file, text) : [])],
      });
    }
  }
  return sources;
}

/** A test that types a command runs its source, in whatever process. */
function startedBy(file: string, text: string): string[] {
  const typed = [
    ...text.matchAll(
      /\b(?:sett|need|start|runCommand|runSett|startSett|settOnTerminal)\(\[?\s*"([a-z-]+)"/g,
    ),
  ];
  const commands = new Set(typed.map(([, command]) => `apps/cli/commands/${command}.ts`));
  const started =
    { [programStarter]: ["apps/main.ts"], [pageStarter]: ["apps/page/main.tsx"] }[file] ?? [];
  return [...commands, ...started];
}

/** The best first. Empty only where no test can run the source. */
export function testsOf(source: string, sources: ReadonlyMap<string, Source>): TestOf[] {
  const names = namesOf(source, sources);
  const tests = [...sources].filter(
    ([file]) => /\.test\.ts$|\/suite\/|\/rules\//.test(file) && file.startsWith("test/"),
  );
  const isOwn = (file: string) =>
    file.startsWith(`test/unit/${source.replace(/^\./, "").replace(/\.\w+$/, "")}.`);
  const select = (reason: string, holds: (file: string, source: Source) => boolean) =>
    tests
      .filter(([file, test]) => holds(file, test))
      .map(([file, { text }]) => ({ file, line: lineOf(text, names), reason }));
  const isExact = ({ file }: TestOf) => Number(baseOf(file) === baseOf(source));
  const namesakes = select("is called after it", (file) => isNamesake(file, source)).toSorted(
    (one, other) => isExact(other) - isExact(one),
  );
  const isEndToEnd = ({ file }: TestOf) => /^test\/(?:e2e|security)\//.test(file);
  const importers = select(isCommand(source) ? "types it" : "imports it", (_file, { imports }) =>
    imports.includes(source),
  );
  const first = [
    ...select("its own test", isOwn),
    ...namesakes.filter((one) => !isEndToEnd(one)),
    ...byUses(importers, names, sources),
    ...usesOf(names, tests),
    ...namesakes.filter(isEndToEnd),
  ];
  const found = first.length > 0 ? first : nearest(source, sources);
  return found.filter(({ file }, at) => found.findIndex((other) => other.file === file) === at);
}

const isCommand = (source: string) => source.startsWith("apps/cli/commands/");
const baseOf = (file: string) => file.split("/").at(-1)?.replace(/\..*/, "") ?? "";

/** In the room of the source, or end to end. */
function isNamesake(file: string, source: string): boolean {
  const [top, app = ""] = source.split("/");
  const rooms = top === "apps" || top === "lib" ? [`test/integration/${app}/`, "test/e2e/"] : [];
  const isCalledSo = new RegExp(`(?:^|-)${baseOf(source)}(?:-|$)`).test(baseOf(file));
  return isCalledSo && rooms.some((room) => file.startsWith(room)) && file.endsWith(".test.ts");
}

/** What is expected of a name says more than its first mention. */
function lineOf(text: string, names: readonly string[]): number {
  if (names.length === 0) return 1;
  const pattern = new RegExp(`\\b(?:${names.join("|")})\\b`);
  const lines = text.split("\n");
  const isUse = (line: string) => pattern.test(line) && !/^import\b|^\} from/.test(line);
  const expected = lines.findIndex((line) => isUse(line) && line.includes("expect("));
  return (expected === -1 ? Math.max(lines.findIndex(isUse), 0) : expected) + 1;
}

function usesIn(text: string, names: readonly string[]): string[] {
  return names.length === 0
    ? []
    : (text.match(new RegExp(`\\b(?:${names.join("|")})\\b`, "g")) ?? []);
}

/** Sorts the tests: those that say the names most often come first. */
function byUses(
  tests: TestOf[],
  names: readonly string[],
  sources: ReadonlyMap<string, Source>,
): TestOf[] {
  const uses = ({ file }: TestOf) => usesIn(sources.get(file)?.text ?? "", names).length;
  return tests.toSorted((one, other) => uses(other) - uses(one));
}

function usesOf(names: readonly string[], tests: [string, Source][]): TestOf[] {
  return tests
    .map(([file, { text }]) => ({ file, text, uses: usesIn(text, names) }))
    .filter(({ uses }) => uses.length > 0)
    .toSorted((one, other) => other.uses.length - one.uses.length)
    .map(({ file, text, uses: [name = ""] }) => ({
      file,
      line: lineOf(text, names),
      reason: `uses ${name}`,
    }));
}

/**
 * Returns what the source exports, and its name as a function would have it: `renew-lease.lua` is
 * `renewLease`. Single words may mean anything, but for the word that a command is typed with.
 */
function namesOf(source: string, sources: ReadonlyMap<string, Source>): string[] {
  if (isCommand(source)) return [`(?<=")${baseOf(source)}(?=")`];
  const exported = /^export (?:async )?(?:function|class|const) (\w+)/gm;
  const asFunction = baseOf(source).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const names = [...(sources.get(source)?.text ?? "").matchAll(exported)].map(
    ([, name = ""]) => name,
  );
  return [...names, asFunction].filter((name) => /[a-z][A-Z]/.test(name));
}

/**
 * The tests with the fewest sources in between. Of these first those whose names have a word of the
 * source's, then those called after the source in between, then unit tests before larger ones.
 */
export function nearest(source: string, sources: ReadonlyMap<string, Source>): TestOf[] {
  const cameFrom = new Map([[source, source]]);
  const words = baseOf(source).split("-");
  const shared = (file: string) =>
    baseOf(file)
      .split("-")
      .filter((word) => words.includes(word.replace(/s$/, "")) || words.includes(word)).length;
  for (let level = [source]; level.length > 0; ) {
    const importers = [...sources].filter(
      ([file, { imports }]) => !cameFrom.has(file) && imports.some((one) => level.includes(one)),
    );
    for (const [file, { imports }] of importers) {
      const between = imports.filter((one) => level.includes(one));
      cameFrom.set(file, between.find((one) => isNamesake(file, one)) ?? between[0] ?? source);
    }
    const files = importers.map(([file]) => file);
    const tests = files.filter(
      (file) => file.endsWith(".test.ts") && !file.startsWith("test/unit/docs/"),
    );
    if (tests.length > 0) {
      const folders = [
        "test/e2e/",
        "test/security/",
        "test/chaos/",
        "test/simulation/",
        "test/integration/",
        "test/unit/",
      ];
      const rankOf = (file: string) =>
        100 * shared(file) +
        10 * Number(isNamesake(file, cameFrom.get(file) ?? "")) +
        folders.findIndex((folder) => file.startsWith(folder));
      return tests
        .toSorted((one, other) => rankOf(other) - rankOf(one))
        .map((file) => {
          const between = cameFrom.get(file) ?? source;
          return {
            file,
            line: lineOf(sources.get(file)?.text ?? "", namesOf(between, sources)),
            reason: `by way of ${between}`,
          };
        });
    }
    level = files;
  }
  return [];
}

if (import.meta.main) {
  const [wanted = ""] = process.argv.slice(2);
  const sources = await readSources();
  const found = [...sources.keys()].filter(
    (file) => wanted !== "" && (file === wanted || file.endsWith(`/${wanted}`)),
  );
  const [source] = found;
  if (source === undefined)
    reportFailure("Name a source of lib, apps or .ci: npx just tests-of lib/async/back-off.ts");
  if (found.length > 1) reportFailure(`${wanted} can be: ${found.join(", ")}`);
  const tests = testsOf(source, sources);
  for (const { file, line, reason } of tests.slice(0, shownAtMost))
    console.log(`${file}:${line}  ${reason}`);
  if (tests.length > shownAtMost) console.log(`and ${tests.length - shownAtMost} more`);
}
