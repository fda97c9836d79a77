// House rules of the tests (test/README.md): where a test is, what it may use, and how long it may
// take.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import { root } from "../support/root.ts";

const files = [...new Glob("test/**/*.ts").scanSync(root)].sort();
const isTest = (file: string) => file.endsWith(".test.ts");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** Files of the repository that a file imports, straight or by way of others below `test/`. */
function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  for (const [, specifier = ""] of read(file).matchAll(
    /^(?:import|\} from|export)\b[^"';=(]*"(\.[^"]+)"/gm,
  )) {
    const target = join(dirname(file), specifier);
    if (reached.has(target)) continue;
    reached.add(target);
    if (target.startsWith("test/") && target.endsWith(".ts")) reachedFrom(target, reached);
  }
  return reached;
}

test("no unit test needs Redis, Docker, or a program that must be compiled", () => {
  const withheld =
    /^test\/(?:support\/(?:redis|docker|sett|security)\/|support\/process\/(?!tools)|(?:integration|e2e|security|chaos|simulation|bench)\/)/;
  const wrong = files
    .filter((file) => file.startsWith("test/unit/"))
    .flatMap((file) =>
      [...reachedFrom(file)]
        .filter((target) => withheld.test(target))
        .map((target) => `${file} uses ${target}`),
    );
  expect(wrong).toEqual([]);
});

test("a unit test is at the path of its source, and begins with its source's name", () => {
  const wrong = files.filter((file) => {
    const [, place, name = ""] =
      /^test\/unit\/((?:apps|lib|ci)(?:\/.*)?)\/([^/.]+)\.[^/]*test\.ts$/.exec(file) ?? [];
    const folder = place?.replace(/^ci/, ".ci");
    return (
      folder !== undefined &&
      !["ts", "mjs", "sh"].some((ending) => existsSync(join(root, folder, `${name}.${ending}`)))
    );
  });
  expect(wrong).toEqual([]);
});

test("what several tests share is in test/support, and a suite beside the tests that run it", () => {
  const wrong = files.filter(
    (file) =>
      /^test\/(?:unit\/.+|integration|e2e|security)\//.test(file) &&
      !isTest(file) &&
      !/\/suite\b/.test(file),
  );
  expect(wrong).toEqual([]);
});

test("no test writes to a place of the machine, or makes a link to a file that it has", () => {
  const place = /["'`]\/(?:etc|root|home|usr|var|opt|boot)\//;
  const writes = /\b(?:writeFile|appendFile|symlink|link|copyFile|rename|cp|Bun\.write)(?:Sync)?\(/;
  const found = files.flatMap((file) =>
    read(file)
      .split("\n")
      .filter((line) => writes.test(line) && place.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test("a file of which all tests are for the night says so by its name, since its preparations run", () => {
  const byDay = /^ *(?:test|daily)\b(?!: )|Suite\(/m;
  const wrong = files.filter(
    (file) =>
      isTest(file) &&
      !file.endsWith(".nightly.test.ts") &&
      /^ *nightly\(/m.test(read(file)) &&
      !byDay.test(read(file)),
  );
  expect(wrong).toEqual([]);
});

/** How a test, a hook or a file says how long it may take, as the formatter writes it. */
const limits = [
  /^ *\}, ([\d_]+)\);$/gm,
  /^ {2}([\d_]+),\n\);$/gm,
  /setDefaultTimeout\(([\d_]+)\)/g,
];
const limitsIn = (text: string) =>
  limits.flatMap((limit) =>
    [...text.matchAll(limit)].map(([, ms = ""]) => Number(ms.replaceAll("_", ""))),
  );

test("a test has two minutes or more: a limit keeps it from hanging, and says nothing of a busy machine", () => {
  const found = files.filter(isTest).map((file) => [file, limitsIn(read(file))] as const);
  expect(found.filter(([, all]) => all.length > 0).length).toBeGreaterThan(100);
  expect(found.filter(([, all]) => all.some((ms) => ms < 120_000))).toEqual([]);
});

test("a limit that is shorter is noticed, wherever it is written", () => {
  const ways = ["}, 5_000);", "  },\n  60_000,\n);", `${"setDefaultTimeout"}(5_000);`];
  expect(ways.map((way) => limitsIn(`\n${way}\n`).length)).toEqual([1, 1, 1]);
});
