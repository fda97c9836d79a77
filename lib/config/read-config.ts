// Reads and checks a sett.yml, with the folders that it names.
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { isReplaceable, replaceableImages } from "../dockerfile/replaceable-images.ts";
import type { SettConfig } from "../model/config.ts";
import { clauseOf, SettError } from "../model/errors.ts";
import { checkDevcontainer, type Devcontainer } from "./devcontainer.ts";
import { kindOf } from "./kind-of.ts";
import { type LockFinding, lockFindings } from "./lock-findings.ts";
import { type NamedPlace, type ProblemAt, parseConfig } from "./parse-config.ts";
import { type ConfigProblem, invalidConfig, missingVariables, sortProblems } from "./problems.ts";
import { type ReadPackages, readPackages, usesIn } from "./read-packages.ts";
import { readPrompts } from "./read-prompts.ts";
import { readSigning } from "./read-signing.ts";
import type { HostEnvironment } from "./resolve-environment.ts";
import type { SettLock } from "./sett-lock.ts";
import { startSizes } from "./start-sizes.ts";

/** More than any sett.yml needs; parsing time grows with the square. */
const maxFileBytes = 256 * 1024;

/**
 * The configuration is undefined exactly when there are mistakes. `missing`: variables that this
 * machine does not have. `unlocked`: packages that sett.lock has not, or has otherwise.
 */
export type CheckedConfig = Record<
  "mistakes" | "missing" | "warnings" | "notes" | "unlocked",
  ConfigProblem[]
> & {
  config: SettConfig | undefined;
  problemAt: ProblemAt;
  packages: ReadPackages;
};

/**
 * `version`: this sett's, to compare with the one that the file names. `withoutKeys`: the keys of
 * models are neither needed nor read. `withImages`: images that a registry may replace are warned
 * of, those of Dockerfiles and of devcontainer.json, too. `name`: the file's for people, where it
 * is not its path. `seen`: packages that are to come into sett.lock.
 */
type ReadOptions = {
  version?: string;
  withoutKeys?: boolean;
  withImages?: boolean;
  name?: string | undefined;
  seen?: SettLock;
};

/**
 * As `readConfig`, but returns the mistakes. Throws `config-missing`, and `config-invalid` for a
 * file that is not text.
 */
export async function checkConfig(
  path: string,
  env: HostEnvironment,
  options: ReadOptions = {},
): Promise<CheckedConfig> {
  return await checkText(await readConfigText(path), path, env, options);
}

/** As `checkConfig`, for the text that the file at `path` has, or would have. */
export async function checkText(
  text: string,
  path: string,
  env: HostEnvironment,
  options: ReadOptions = {},
): Promise<CheckedConfig> {
  const folder = dirname(resolve(path));
  const packages = await readPackages(usesIn(text), folder, options.seen);
  const parsed = parseConfig({
    ...{ text, file: options.name ?? path, folder, host: env },
    ...options,
    packages: packages.known,
  });
  const locked = lockFindings(text, packages);
  const at = ({ path: of, sentence }: LockFinding) => parsed.problemAt(of, sentence);
  const places = await Promise.all(parsed.places.map((place) => checkPlace(place, options)));
  const prompts = await readPrompts(parsed.places, parsed.config);
  const signing = await readSigning(parsed.places, parsed.config);
  const sizes = parsed.config === undefined ? [] : startSizes(parsed.config);
  const mistakes = sortProblems([
    ...parsed.mistakes,
    ...places.flatMap((place) => place.mistakes),
    ...prompts,
    ...signing,
    ...(await withoutCertificates(parsed)),
    ...locked.mistakes.map(at),
    ...sizes.map(({ path: at, sentence }) => parsed.problemAt(at, sentence)),
  ]);
  const images = options.withImages ? namedImageWarnings(parsed) : [];
  const warnings = sortProblems([
    ...parsed.warnings,
    ...images,
    ...places.flatMap((place) => place.warnings),
  ]);
  const config = mistakes.length === 0 ? parsed.config : undefined;
  const { problemAt } = parsed;
  return {
    config,
    mistakes,
    missing: sortProblems(parsed.missing),
    warnings,
    notes: sortProblems(parsed.notes),
    unlocked: sortProblems(locked.unlocked.map(at)),
    problemAt,
    packages,
  };
}

/**
 * `path` as problems name it; `problemAt` makes one that a later step finds. `env` is the host's
 * environment, for `${NAME}` and bare names. Throws SettError `config-missing` when there is no
 * file, and `config-invalid` with all mistakes at once.
 */
export async function readConfig(
  path: string,
  env: HostEnvironment,
  options: Pick<ReadOptions, "withoutKeys" | "name"> = {},
): Promise<ReadConfig> {
  const checked = await checkConfig(path, env, options);
  const { config, mistakes, missing, ...rest } = checked;
  const { name = path } = options;
  if (config === undefined) throw invalidConfig(name, [...mistakes, ...missing]);
  if (missing.length > 0) throw missingVariables(name, missing);
  return { config, ...rest };
}

type ReadConfig = Omit<CheckedConfig, "config" | "mistakes" | "missing"> & { config: SettConfig };

/** A folder would be made in the place of a file that is not there. */
async function withoutCertificates({
  config,
  problemAt,
}: Pick<CheckedConfig, "config" | "problemAt">): Promise<ConfigProblem[]> {
  const { ca } = config?.models.way ?? {};
  const isFile = ca === undefined || (await stat(ca).catch(() => undefined))?.isFile() === true;
  return isFile ? [] : [problemAt(["models", "ca"], `names no file of this machine: ${ca}`)];
}

/**
 * `hint`: what to do where there is no such file. Throws `config-missing`, and `config-invalid` for
 * a file that is not text or is too large.
 */
export async function readConfigText(
  path: string,
  hint = "`sett init` writes one, with an example agent.",
): Promise<string> {
  let bytes: Uint8Array;
  try {
    const { size } = await stat(path);
    if (size > maxFileBytes)
      throw new SettError(
        "config-invalid",
        `${path} is larger than 256 KiB, more than such a file needs.`,
      );
    bytes = await readFile(path);
  } catch (error) {
    if (error instanceof SettError) throw error;
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") {
      throw new SettError("config-missing", `There is no ${path}.`, { hint, cause: error });
    }
    if (codeOf(error) === "EISDIR")
      throw new SettError("config-invalid", `${path} is a folder, not a file.`, { cause: error });
    throw new SettError("config-invalid", `${path} cannot be read: ${clauseOf(error)}.`, {
      cause: error,
    });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SettError("config-invalid", `${path} is not UTF-8 text.`, {
      hint: "Save it as UTF-8 and try again.",
      cause,
    });
  }
}

async function checkPlace(
  place: NamedPlace,
  { withImages = false }: ReadOptions,
): Promise<Record<"mistakes" | "warnings", ConfigProblem[]>> {
  if (place.kind === "prompt" || place.kind === "signers") return { mistakes: [], warnings: [] };
  if (place.kind === "build") {
    const mistakes = await checkBuild(place);
    return {
      mistakes,
      warnings: withImages && mistakes.length === 0 ? await baseImageWarnings(place) : [],
    };
  }
  const { devcontainer, mistakes, warnings } = await checkDevcontainer(place.folder);
  const images = withImages ? await baseImagesOf(devcontainer) : [];
  return {
    mistakes: mistakes.map(place.problemAt),
    warnings: [...warnings, ...images.map(replaceable)].map(place.problemAt),
  };
}

type BuildPlace = Extract<NamedPlace, { kind: "build" }>;

async function checkBuild({
  context,
  dockerfile,
  problemAt,
}: BuildPlace): Promise<ConfigProblem[]> {
  const folder = await kindOf(context);
  if (folder !== "folder") {
    return [
      problemAt(
        "context",
        folder === "file"
          ? "is a file: it must be the folder to build from"
          : `there is no folder ${context}`,
      ),
    ];
  }
  // The Engine is sent the folder and nothing beside it.
  const inside = relative(context, dockerfile);
  if (inside.startsWith("..")) return [problemAt("dockerfile", "must lie inside the build folder")];
  if ((await kindOf(dockerfile)) === "file") return [];
  const names = await readdir(dirname(dockerfile)).catch(() => []);
  const like = names.find((name) => /^(?:docker|container)file$/i.test(name));
  const place = like && relative(context, join(dirname(dockerfile), like));
  const meant = place === undefined ? "" : `, but ${place}: write \`dockerfile: ${place}\``;
  return [problemAt("dockerfile", `there is no file ${dockerfile}${meant}`)];
}

/** Packages are in sett.lock, with the digest of their images. */
function namedImageWarnings({
  config,
  problemAt,
}: Pick<CheckedConfig, "config" | "problemAt">): ConfigProblem[] {
  const { agents = [], services } = config ?? {};
  const named = [
    ...agents.map(({ name, source, ...agent }) => ({
      path: ["agents", name, "image"],
      image: source.kind === "image" && agent.package === undefined ? source.image : undefined,
    })),
    { path: ["services", "orchestrator", "image"], image: services?.orchestrator.image },
    { path: ["services", "redis", "image"], image: services?.redis.image },
  ];
  return named.flatMap(({ path, image }) =>
    image !== undefined && isReplaceable(image) ? [problemAt(path, replaceable(image))] : [],
  );
}

async function baseImageWarnings({
  dockerfile,
  args,
  problemAt,
}: BuildPlace): Promise<ConfigProblem[]> {
  const images = await imagesInFile(dockerfile, args);
  return images.map((image) => problemAt("dockerfile", replaceable(image)));
}

async function baseImagesOf(devcontainer: Devcontainer | undefined): Promise<string[]> {
  const { base } = devcontainer ?? {};
  if (base === undefined) return [];
  if (base.kind === "build") return await imagesInFile(base.dockerfile, {});
  return isReplaceable(base.image) ? [base.image] : [];
}

/** None of a file that is not there, or is no Dockerfile by its size. */
async function imagesInFile(
  dockerfile: string,
  args: Readonly<Record<string, string>>,
): Promise<string[]> {
  const size = (await stat(dockerfile).catch(() => undefined))?.size ?? 0;
  if (size === 0 || size > maxFileBytes) return [];
  return replaceableImages(await readFile(dockerfile, "utf8"), args);
}

function replaceable(image: string): string {
  const pinned = `\`${image}@sha256:…\` names one image for good`;
  return `uses \`${image}\`, which its registry may replace at any time: ${pinned}`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
