// Which share of the lines of lib and apps do the tests run? Needs everything that the tests need; a few minutes.
//
// The `sett` that end-to-end tests call runs in the tests' own process here, because lines are counted in no other. What runs only in
// containers and in processes of its own (each main.ts, for one) counts as not run, however well it is tested there.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const project = resolve(import.meta.dir, "..");
const least = 0.85;

const folder = await mkdtemp(join(tmpdir(), "sett-coverage-"));
const options = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`, "--timeout=180000"];
const tests = Bun.spawn([process.execPath, "test", ...options], {
  cwd: project,
  stdio: ["ignore", "inherit", "inherit"],
  env: { ...process.env, SETT_COUNT_LINES: "1", TESTCONTAINERS_RYUK_DISABLED: "true" },
});
await tests.exited;
const report = await Bun.file(join(folder, "lcov.info")).text();
await rm(folder, { recursive: true });

/** File → lines that could run, and lines that did. */
const files = new Map<string, { lines: number; hit: number }>();
for (const section of report.split("end_of_record")) {
  const [, file = ""] = /^SF:(.*)$/m.exec(section) ?? [];
  if (!/^(?:lib|apps)\//.test(file)) continue;
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)$`, "m").exec(section)?.[1] ?? 0);
  files.set(file, { lines: number("LF"), hit: number("LH") });
}
// Of a file that was never loaded, what is left of it without types and comments.
const transpiler = new Bun.Transpiler({ loader: "ts" });
for await (const file of new Bun.Glob("{lib,apps}/**/*.ts").scan(project)) {
  if (files.has(file) || file.endsWith(".d.ts")) continue;
  const code = transpiler.transformSync(await Bun.file(join(project, file)).text());
  const lines = code.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("import ")).length;
  if (lines > 0) files.set(file, { lines, hit: 0 });
}
const sum = (name: "lines" | "hit") => [...files.values()].reduce((total, file) => total + file[name], 0);
const worst = [...files].toSorted(([, a], [, b]) => b.lines - b.hit - (a.lines - a.hit)).slice(0, 15);
for (const [file, { lines, hit }] of worst) console.log(`${String(lines - hit).padStart(5)} of ${lines} lines not run: ${file}`);
const share = sum("hit") / sum("lines");
console.log(
  `\n${(100 * share).toFixed(1)} % of ${sum("lines")} lines of lib and apps were run; at least ${100 * least} % are wanted.`,
);
process.exitCode = share >= least ? 0 : 1;
