// Reads and checks a file of `sett eval`.
import { SettError } from "../model/errors.ts";
import { EvalFile } from "../model/eval-file.ts";
import type { ProblemAt } from "./parse-config.ts";
import { type ConfigProblem, formatPath, formatProblem, sortProblems } from "./problems.ts";
import { readConfigText } from "./read-config.ts";
import { parseWith } from "./sentences.ts";
import { parseYaml } from "./yaml-file.ts";

const hint = "docs/guides/evaluation.md describes the file.";

/** Throws `config-missing`, and `config-invalid` with all mistakes at once. */
export async function readEval(path: string): Promise<{ file: EvalFile; problemAt: ProblemAt }> {
  return parseEval(await readConfigText(path, hint), path);
}

/** As `readEval`. `name`: how mistakes name the file. */
export function parseEval(text: string, name: string): { file: EvalFile; problemAt: ProblemAt } {
  const yaml = parseYaml(text);
  const problemAt: ProblemAt = (path, sentence, side) => ({
    file: name,
    ...yaml.place(path, side),
    path: formatPath(path),
    sentence,
  });
  if (yaml.mistakes.length > 0)
    throw wrongEval(
      name,
      yaml.mistakes.map((mistake) => ({ ...mistake, file: name })),
    );
  const parsed = parseWith(EvalFile, yaml.data ?? {});
  if (parsed.isValid) return { file: parsed.value, problemAt };
  const mistakes = parsed.mistakes.map(({ path, sentence, side }) =>
    problemAt(path, sentence, side),
  );
  throw wrongEval(name, mistakes);
}

/** The one error for all mistakes of the file. */
export function wrongEval(name: string, mistakes: readonly ConfigProblem[]): SettError {
  const lines = sortProblems(mistakes).map((problem) => `  ${formatProblem(problem)}`);
  const count = lines.length === 1 ? "a mistake" : `${lines.length} mistakes`;
  return new SettError("config-invalid", `${name} has ${count}:\n${lines.join("\n")}`, { hint });
}
