// The problems of a sett.yml with their places: collected first, shown together.
import { SettError } from "../model/errors.ts";

/** A path into the file's data: keys of maps and indexes of lists. */
export type ConfigPath = readonly (string | number)[];

/**
 * `line` and `column` count from 1. `path` is written `agents.coder.bids[0].bid`; empty for the
 * file as a whole.
 */
export type ConfigProblem = {
  file: string;
  line: number;
  column: number;
  path: string;
  sentence: string;
};

/** A problem without the file's name. */
export type PlacedProblem = Omit<ConfigProblem, "file">;

/** One line: `sett.yml:12:5 agents.coder.timeout: must be …`. */
export function formatProblem({ file, line, column, path, sentence }: ConfigProblem): string {
  return `${file}:${line}:${column}${path === "" ? "" : ` ${path}`}: ${sentence}`;
}

/**
 * `["agents", "coder", "bids", 0]` → `agents.coder.bids[0]`; a key that is not a plain word is
 * quoted in brackets.
 */
export function formatPath(path: ConfigPath): string {
  const steps = path.map((step) =>
    typeof step === "string" && /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`,
  );
  return steps.join("").replace(/^\./, "");
}

/** In the order of the file, each only once. */
export function sortProblems(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const byLine = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return [...byLine.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

/**
 * The error for a file that is right, but for variables that this machine does not have. `missing`
 * must not be empty.
 */
export function missingVariables(file: string, missing: readonly ConfigProblem[]): SettError {
  const lines = sortProblems(missing).map((problem) => `  ${formatProblem(problem)}`);
  return new SettError(
    "config-invalid",
    `${file} needs what is not set here:\n${lines.join("\n")}`,
    {
      hint: "Set it in this shell (`export NAME=…`), and try again.",
    },
  );
}

/**
 * The error for a file that is right, but asks for what this machine does not have. `problems` must
 * not be empty.
 */
export function unusableHere(file: string, problems: readonly ConfigProblem[]): SettError {
  const lines = sortProblems(problems).map((problem) => `  ${formatProblem(problem)}`);
  return new SettError(
    "config-invalid",
    `${file} asks for what this machine does not have:\n${lines.join("\n")}`,
    {
      hint: "Correct the file, or use another machine. `docker info` shows what the Engine has.",
    },
  );
}

/** The one error for all mistakes of a file. `mistakes` must not be empty. */
export function invalidConfig(file: string, mistakes: readonly ConfigProblem[]): SettError {
  const lines = sortProblems(mistakes).map(formatProblem);
  const count = lines.length === 1 ? "a mistake" : `${lines.length} mistakes`;
  return new SettError(
    "config-invalid",
    `${file} has ${count}:\n${lines.map((line) => `  ${line}`).join("\n")}`,
    {
      hint: "Correct the file, then check it with `sett validate`.",
    },
  );
}
