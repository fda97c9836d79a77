// Reads all that an eval begins with, and checks each of its settings before anything starts.
import { randomBytes } from "node:crypto";
import { dirname, join, relative, resolve } from "node:path";
import { evalSett } from "../../../lib/config/eval-sett.ts";
import { type EvalSetting, evalSettings } from "../../../lib/config/eval-settings.ts";
import { type ConfigProblem, formatPath, invalidConfig } from "../../../lib/config/problems.ts";
import { checkText, readConfigText } from "../../../lib/config/read-config.ts";
import { readEval, wrongEval } from "../../../lib/config/read-eval.ts";
import { parseYaml } from "../../../lib/config/yaml-file.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { clauseOf, SettError } from "../../../lib/model/errors.ts";
import type { EvalFile } from "../../../lib/model/eval-file.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import { gitOf } from "../instance/packs-place.ts";
import { findConfig } from "../program/config-path.ts";
import type { Shell } from "../terminal/shell.ts";

/** `parts`: the words of `--with`. `file`: of `sett eval`; `config`: the path of `--file`. */
export type EvalOrder = {
  file: string;
  config: string | undefined;
  parts: readonly string[];
  withoutKeys: boolean;
};

/**
 * `head`: what is compared. `config`: the path of sett.yml there. `token`: as `evalSett` has it.
 */
export type PreparedEval = {
  file: EvalFile;
  repository: HostRepository;
  head: CommitHash;
  commits: ReadonlyMap<string, CommitHash>;
  config: string;
  token: string;
};

/** Throws `config-missing`, `config-invalid` and `repository-unusable`. */
export async function prepareEval(order: EvalOrder, shell: Shell): Promise<PreparedEval> {
  const { file, problemAt } = await readEval(order.file);
  const repository = await HostRepository.open(shell.cwd, gitOf(shell));
  const head = await repository.head();
  const commits = new Map<string, CommitHash>();
  const problems: ConfigProblem[] = [];
  for (const [name, { commit }] of Object.entries(file.goals)) {
    const found = await repository.resolve(commit).catch((error: unknown) => {
      problems.push(problemAt(["goals", name, "commit"], clauseOf(error)));
      return undefined;
    });
    if (found !== undefined) commits.set(name, found);
  }
  if (problems.length > 0) throw wrongEval(order.file, problems);
  const changed = await repository.dirtyFiles();
  if (changed.some(({ state }) => state !== "??"))
    shell.messages.note(
      "The repository has changes that are not committed. An eval tries what is at HEAD, sett.yml as well.",
    );
  const config = await pathInRepository(repository, order, shell);
  const token = randomBytes(8).toString("hex");
  return { file, repository, head, commits, config, token };
}

/** A bare repository has no files, and only the path counts. */
async function pathInRepository(
  { place }: HostRepository,
  { config }: EvalOrder,
  shell: Shell,
): Promise<string> {
  if (place.isBare) return config ?? "sett.yml";
  const { file } = await findConfig(shell, config);
  return relative(place.toplevel, resolve(shell.cwd, file));
}

export type CheckedSetting = { name: string; text: string; isSealed: boolean };

/**
 * `clone`: of what is at HEAD. Throws `config-missing`, `config-invalid`, and `usage` for what
 * `--with` asks for and sett.yml cannot have.
 */
export async function checkSettings(
  prepared: PreparedEval,
  { parts, withoutKeys }: EvalOrder,
  { clone, env }: { clone: string; env: Shell["env"] },
): Promise<CheckedSetting[]> {
  const { file, repository, config, commits, token } = prepared;
  const path = join(clone, config);
  const original = await readConfigText(path).catch((error: unknown) => {
    if (!(error instanceof SettError) || error.code !== "config-missing") throw error;
    throw new SettError("config-missing", `The commit at HEAD has no ${config}.`, {
      hint: `An eval tries what is committed: git add ${config} && git commit`,
    });
  });
  const own = await checkText(original, path, env, { withoutKeys, name: config });
  if (own.config === undefined) throw invalidConfig(config, own.mistakes);
  const { data } = parseYaml(original);
  const checked: CheckedSetting[] = [];
  const wrong: string[] = [];
  for (const setting of evalSettings(parts, data)) {
    const folder = dirname(join(repository.place.toplevel, config));
    const text = evalSett(data, setting, { file, folder, token, commits });
    const found = await checkText(text, path, env, { withoutKeys, name: config });
    if (found.missing.length > 0) throw missingIn(config, found.missing);
    wrong.push(...found.mistakes.map((mistake) => sentenceOf(mistake, setting)));
    const isSealed = (found.config?.proof.mode ?? "off") !== "off";
    checked.push({ name: setting.name, text, isSealed });
  }
  if (wrong.length === 0) return checked;
  throw new SettError(
    "usage",
    `sett.yml cannot have what --with asks for:\n${[...new Set(wrong)].map((line) => `  ${line}`).join("\n")}`,
    { hint: "docs/reference/sett-yml.md lists the keys." },
  );
}

/** The setting's own text leaves out what an eval does not need, so that its lines are others. */
function missingIn(config: string, missing: readonly ConfigProblem[]): SettError {
  const lines = new Set(missing.map(({ path, sentence }) => `  ${path} ${sentence}`));
  return new SettError(
    "config-invalid",
    `${config} needs what is not set here:\n${[...lines].join("\n")}`,
    { hint: "Set it in this shell (`export NAME=…`), and try again." },
  );
}

function sentenceOf({ path, sentence }: ConfigProblem, { overrides }: EvalSetting): string {
  const cause = overrides.find((override) => {
    const own = formatPath(override.path);
    return path.startsWith(own) || own.startsWith(path);
  });
  return cause === undefined ? `${path} ${sentence}` : `--with ${cause.word}: ${path} ${sentence}`;
}
