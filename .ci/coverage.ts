// Which share of the lines of lib and apps do the tests run? Read from the reports that bun leaves
// of each group of tests.
//
// Code that runs only in containers and in processes of its own (each main.ts, for one) counts as
// not run, however well it is tested there.
import { basename, join } from "node:path";

const minShare = 0.85;

/**
 * The parts of the page that are no pure function are left out: test/e2e/page.test.ts and its
 * neighbours run it in Chromium, which counts no lines.
 */
const runsInBrowser = /^apps\/page\/(?:(?:components|data|views)\/|graph\/paint\.ts$)/;

/**
 * `reports`: folders with an `lcov.info` each; what one of them has run counts. A group that
 * crashed has left none. Prints what is left.
 */
export async function measureCoverage(
  root: string,
  reports: readonly string[],
): Promise<{ isEnough: boolean; words: string }> {
  const files = new Map<string, Map<number, boolean>>();
  for (const folder of reports) {
    const report = Bun.file(join(folder, "lcov.info"));
    if (!(await report.exists()))
      return {
        isEnough: false,
        words: `nothing says which lines the ${basename(folder)} tests have run`,
      };
    noteLines(await report.text(), files);
  }
  const counts = new Map(
    [...files].map(([file, lines]) => [file, { lines: lines.size, hit: runLinesOf(lines) }]),
  );
  for await (const file of new Bun.Glob("{lib,apps}/**/*.ts").scan(root)) {
    if (counts.has(file) || file.endsWith(".d.ts") || runsInBrowser.test(file)) continue;
    const lines = linesOf(await Bun.file(join(root, file)).text());
    if (lines > 0) counts.set(file, { lines, hit: 0 });
  }
  const leftOf = ({ lines, hit }: { lines: number; hit: number }) => lines - hit;
  const worst = [...counts]
    .toSorted(([, one], [, other]) => leftOf(other) - leftOf(one))
    .slice(0, 15);
  for (const [file, count] of worst)
    console.log(`${String(leftOf(count)).padStart(5)} of ${count.lines} lines not run: ${file}`);
  const sum = (name: "lines" | "hit") =>
    [...counts.values()].reduce((total, count) => total + count[name], 0);
  const share = sum("hit") / sum("lines");
  const percent = `${(Math.floor(1_000 * share) / 10).toFixed(1)} %`;
  return {
    isEnough: share >= minShare,
    words: `${percent} of ${sum("lines")} lines of lib and apps were run; at least ${100 * minShare} % are wanted`,
  };
}

function noteLines(report: string, files: Map<string, Map<number, boolean>>): void {
  for (const section of report.split("end_of_record")) {
    const [, file = ""] = /^SF:(.*)$/m.exec(section) ?? [];
    if (!/^(?:lib|apps)\//.test(file)) continue;
    const lines = files.get(file) ?? new Map<number, boolean>();
    files.set(file, lines);
    for (const [, line, times] of section.matchAll(/^DA:(\d+),(\d+)/gm)) {
      lines.set(Number(line), lines.get(Number(line)) === true || Number(times) > 0);
    }
  }
}

function runLinesOf(lines: Map<number, boolean>): number {
  return [...lines.values()].filter(Boolean).length;
}

const transpiler = new Bun.Transpiler({ loader: "ts" });

/**
 * Counts the lines of a file that was never loaded: those that are left without types and comments.
 */
function linesOf(source: string): number {
  const code = transpiler.transformSync(source);
  return code.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("import "))
    .length;
}
