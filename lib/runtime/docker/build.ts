// Builds an image from a folder with a Dockerfile.
import { access, readFile, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type Docker from "dockerode";
import {
  type Dockerfile,
  hasUnusedStage,
  imagesOf,
  needOfBuildKit,
  parseDockerfile,
  platformVariablesOf,
} from "../../dockerfile/dockerfile.ts";
import { SettError } from "../../model/errors.ts";
import { shellWord } from "../../model/shell-word.ts";
import type { BuildSpec, ImageInfo, Progress } from "../port.ts";
import { contextEntries, realDockerfile, unreadable } from "./build-context.ts";
import { buildProxies } from "./build-proxies.ts";
import { type BuildKitPlace, buildWithBuildKit, lackOfBuildKit } from "./buildkit.ts";
import { contextArchive } from "./context-archive.ts";
import { ask, explain, reasonOf, statusOf } from "./errors.ts";
import { findImage } from "./images.ts";
import { type EngineMessage, jsonMessages } from "./json-messages.ts";
import { untilSilent } from "./patience.ts";
import {
  type FoundLogin,
  findLogin,
  isOfPull,
  knownRegistries,
  type Login,
  loginHint,
  registryOf,
} from "./registry-logins.ts";

const shownLines = 20;

/** The name under which the Engine gets a Dockerfile that is outside of the context. */
const sentDockerfile = ".sett.Dockerfile";

/** The Engine's API builds it, and BuildKit what only BuildKit can build. */
export async function buildImage(
  docker: Docker,
  spec: BuildSpec,
  progress: Progress,
  place: BuildKitPlace,
): Promise<ImageInfo> {
  const dockerfile = await checkedDockerfile(spec);
  const path = join(spec.contextDir, dockerfile);
  const parsed = parseDockerfile(
    await readFile(path, "utf8").catch((cause) => {
      throw unreadable(path, cause);
    }),
  );
  requireEnds(spec, path, parsed);
  const need = needOfBuildKit(parsed, spec.args);
  const output = recorder(progress.onProgress);
  const read: ReadDockerfile = { dockerfile, path, parsed, need };
  const { signal } = progress;
  // The older builder builds them all the same, and may fail at one.
  const isBetter = hasUnusedStage(parsed) && (await lackOfBuildKit(place)) === undefined;
  if (need !== undefined) await requireBuildKit(spec, path, need, place);
  const isBuilt =
    need === undefined &&
    !isBetter &&
    (await isBuiltByApi(docker, spec, read, output, place, signal));
  if (!isBuilt) await buildByBuildKit(spec, read, output, place, signal);
  const image = await ask(`look for the image ${spec.tag}`, () => findImage(docker, spec.tag));
  if (image === undefined)
    throw failed(spec, "the Engine does not have it after the build", output.lastLines);
  return image;
}

type ReadDockerfile = {
  dockerfile: string;
  path: string;
  parsed: Dockerfile;
  need: ReturnType<typeof needOfBuildKit>;
};

const isUnknown = (reason: string) => /unknown (?:instruction|flag)/i.test(reason);

/**
 * False where what a base image triggers is only BuildKit's, and BuildKit is here. Throws where the
 * image is not built otherwise.
 */
async function isBuiltByApi(
  docker: Docker,
  spec: BuildSpec,
  { dockerfile, parsed }: ReadDockerfile,
  output: Output,
  place: BuildKitPlace,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const args = {
    ...(await platformArgs(docker, parsed)),
    ...(await buildProxies(place.address, place.env)),
    ...spec.args,
  };
  const logins = await loginsFor(imagesOf(parsed, args), place.env);
  try {
    await buildByApi(docker, { ...spec, args }, { dockerfile, logins }, output, signal);
    return true;
  } catch (error) {
    const [reason = ""] = error instanceof SettError ? error.message.split("\n") : [];
    const isOther = isUnknown(reason) || /requires BuildKit/.test(reason);
    if (isOther && (await lackOfBuildKit(place)) === undefined) return false;
    throw withLoginHint(error, logins);
  }
}

async function buildByBuildKit(
  spec: BuildSpec,
  read: ReadDockerfile,
  output: Output,
  place: BuildKitPlace,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { dockerfile, parsed } = read;
  const onLine = (line: string) => output.push(`${line}\n`);
  if ((await buildWithBuildKit(spec, dockerfile, place, onLine, signal)) === 0) return;
  // BuildKit pulls the frontend that the file names as well.
  const images = [...imagesOf(parsed, spec.args), parsed.syntax?.value ?? "scratch"];
  const failure = failedWithBuildKit(spec, read, output.lastLines);
  const ofFrontend = failure.hint?.startsWith("Line ") === true ? failure.hint : undefined;
  throw withLoginHint(failure, await loginsFor(images, place.env), ofFrontend);
}

/** An image whose name is not known can be of any registry. */
async function loginsFor(
  images: readonly string[],
  env: BuildKitPlace["env"],
): Promise<FoundLogin[]> {
  const named = images.filter((image) => image !== "scratch").map(registryOf);
  const isOpen = images.some((image) => image.includes("$"));
  const registries = new Set([...named, ...(isOpen ? await knownRegistries(env) : [])]);
  return await Promise.all([...registries].map((registry) => findLogin(registry, env)));
}

/** `ofFrontend`: the hint about the image that builds the others, where it is that one. */
function withLoginHint(
  error: unknown,
  logins: readonly FoundLogin[],
  ofFrontend?: string | undefined,
): unknown {
  if (!(error instanceof SettError) || error.code !== "build-failed") return error;
  // What a step of the build has printed may speak of refusals, too.
  const [reason = ""] = error.message.split("\n");
  const login = isOfPull(reason) ? loginHint(reason, logins) : undefined;
  if (login === undefined) return error;
  const hint = `${ofFrontend ?? "Is the name of the image in FROM right?"} ${login}`;
  return new SettError("build-failed", error.message, { hint, cause: error });
}

type Output = { push: (text: string) => void; lastLines: string[] };

/** Throws `build-failed`, unless the image has been built. */
async function buildByApi(
  docker: Docker,
  spec: BuildSpec,
  { dockerfile, logins }: { dockerfile: string; logins: readonly FoundLogin[] },
  output: Output,
  signal: AbortSignal | undefined,
): Promise<void> {
  const real = await realDockerfile(spec.contextDir, dockerfile);
  const isOutside = real.startsWith("../");
  const archive = contextArchive(
    spec.contextDir,
    await contextEntries(spec.contextDir, isOutside ? dockerfile : real),
    isOutside
      ? { name: sentDockerfile, text: await readFile(join(spec.contextDir, dockerfile)) }
      : undefined,
  );
  const upload = new AbortController();
  let readError: Error | undefined;
  archive.on("error", (error) => {
    readError = error;
    upload.abort();
  });
  // An older image may carry the tag, so that its presence alone proves nothing.
  let isBuilt = false;
  try {
    const stream = await docker.buildImage(archive, {
      t: spec.tag,
      dockerfile: isOutside ? sentDockerfile : real,
      buildargs: spec.args,
      labels: spec.labels,
      registryconfig: registryConfig(logins),
      // Without it the container of a failed step stays behind.
      forcerm: true,
      abortSignal: AbortSignal.any([upload.signal, ...(signal === undefined ? [] : [signal])]),
    });
    for await (const message of jsonMessages(untilSilent(docker, "/build", stream))) {
      output.push(textOf(message));
      // A build that failed is no HTTP error: the status is 200 and one of the messages has an
      // `error`.
      if (message.error !== undefined) throw failed(spec, message.error, output.lastLines);
      if (message.aux?.ID !== undefined) isBuilt = true;
    }
  } catch (error) {
    if (readError !== undefined) throw unreadable(spec.contextDir, readError);
    // A status: the Engine refused before the first step, for instance a Dockerfile it cannot
    // parse.
    throw statusOf(error) === undefined
      ? explain(error, `build ${spec.tag}`, signal)
      : failed(spec, reasonOf(error), output.lastLines, error);
  }
  if (!isBuilt) throw failed(spec, "the build's output ended early", output.lastLines);
}

/** By registry, as the Engine looks them up. dockerode's types know no identity tokens. */
function registryConfig(logins: readonly FoundLogin[]): Docker.RegistryConfig {
  const known: Record<string, Login> = {};
  for (const { registry, login } of logins) if (login !== undefined) known[registry] = login;
  return known as Docker.RegistryConfig;
}

/** The Engine builds for its own machine, and would leave these variables empty. */
async function platformArgs(
  docker: Docker,
  dockerfile: Dockerfile,
): Promise<Record<string, string>> {
  const names = platformVariablesOf(dockerfile);
  if (names.length === 0) return {};
  const { Os, Arch } = await ask("say for which machine it builds", () => docker.version());
  const values: Readonly<Record<string, string>> = {
    PLATFORM: `${Os}/${Arch}`,
    OS: Os,
    ARCH: Arch,
    VARIANT: "",
  };
  return Object.fromEntries(
    names.map((name) => [name, values[name.replace(/^BUILD|^TARGET/, "")] ?? ""]),
  );
}

/**
 * A builder without heredocs takes such an instruction as it is, and its file is then empty.
 */
function requireEnds(spec: BuildSpec, path: string, { instructions }: Dockerfile): void {
  const open = instructions.find(({ openHeredoc }) => openHeredoc !== undefined);
  if (open === undefined) return;
  const { line, keyword, openHeredoc: name } = open;
  throw new SettError(
    "build-failed",
    `${imageOf(spec)} cannot be built: line ${line} of ${path} has \`${keyword} <<${name}\`, and no line ends it.`,
    { hint: `End it with a line that is ${name} and nothing else, also no blank.` },
  );
}

function imageOf({ agent, tag }: BuildSpec): string {
  return agent === undefined ? `The image ${tag}` : `The image of the agent ${agent}`;
}

async function requireBuildKit(
  spec: BuildSpec,
  path: string,
  { line, what }: { line: number; what: string },
  place: BuildKitPlace,
): Promise<void> {
  const lack = await lackOfBuildKit(place);
  if (lack === undefined) return;
  throw new SettError(
    "build-failed",
    `${imageOf(spec)} needs BuildKit, and this machine has none: ${lack}. Line ${line} of ${path} has \`${what}\`.`,
    {
      hint: "Install Docker's buildx (the package docker-buildx or docker-buildx-plugin), or write that line without it.",
    },
  );
}

function failedWithBuildKit(
  spec: BuildSpec,
  { path, parsed, need }: ReadDockerfile,
  lastLines: readonly string[],
): SettError {
  const said =
    lastLines.findLast((line) => /failed to (?:solve|build)|^ERROR: /.test(line)) ??
    lastLines.at(-1) ??
    "";
  const reason = said.replace(/^ERROR: /, "").replace(/^failed to solve: /, "");
  const error = failed(spec, reason, lastLines);
  const { syntax } = parsed;
  // The Engine has a frontend of its own, of its own age; the line chooses another, which is an
  // image.
  const isUnreached = /resolve|failed to do request|pull|lookup|dial/i.test(reason);
  if (syntax !== undefined && isUnreached && reason.includes(syntax.value.replace(/[:@].*/, ""))) {
    return new SettError("build-failed", error.message, {
      hint: `Line ${syntax.line} of the Dockerfile names ${syntax.value}, which the Engine must pull. Remove the line, and its own BuildKit builds.`,
    });
  }
  if (syntax === undefined && need !== undefined && isAbout(need.line, parsed, reason)) {
    const unknown = `the Engine's BuildKit does not know \`${need.what}\` in line ${need.line} of ${path}: ${reason}`;
    return new SettError("build-failed", failed(spec, unknown, lastLines).message, {
      hint: "It is too old for that: begin the Dockerfile with `# syntax=docker/dockerfile:1`, or use a newer Engine. From version 23 on they know heredocs and --link.",
    });
  }
  return error;
}

/** Whether BuildKit has refused a word of the instruction that begins in this line. */
function isAbout(line: number, { instructions }: Dockerfile, reason: string): boolean {
  if (!isUnknown(reason)) return false;
  const refused = Number(/\bline (\d+)/.exec(reason)?.[1]);
  const next = instructions.find((one) => one.line > line)?.line ?? Number.POSITIVE_INFINITY;
  return refused >= line && refused < next;
}

/** The Dockerfile's path inside the context, as the Engine wants it. */
async function checkedDockerfile(spec: BuildSpec): Promise<string> {
  const context = await stat(spec.contextDir).catch(() => undefined);
  if (context === undefined || !context.isDirectory()) {
    const what = context === undefined ? "does not exist" : "is not a folder";
    throw new SettError(
      "build-failed",
      `The build context ${spec.contextDir} of ${spec.tag} ${what}.`,
      {
        hint: "`build.context` in sett.yml is relative to that file.",
      },
    );
  }
  const dockerfile = posix.normalize(spec.dockerfile);
  if (posix.isAbsolute(dockerfile) || dockerfile.startsWith("..")) {
    throw new SettError(
      "build-failed",
      `The Dockerfile ${spec.dockerfile} of ${spec.tag} is outside its build context.`,
      {
        hint: `Put it into ${spec.contextDir}, or widen the context.`,
      },
    );
  }
  const isThere = await access(join(spec.contextDir, dockerfile)).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    throw new SettError(
      "build-failed",
      `There is no ${dockerfile} in the build context ${spec.contextDir} of ${spec.tag}.`,
      {
        hint: "`build.dockerfile` in sett.yml is relative to `build.context`.",
      },
    );
  }
  return dockerfile;
}

function failed(
  spec: BuildSpec,
  reason: string,
  lastLines: readonly string[],
  cause?: unknown,
): SettError {
  const output =
    lastLines.length === 0 ? "" : `\n${lastLines.map((line) => `  ${line}`).join("\n")}`;
  const hint = /cannot locate specified dockerfile/i.test(reason)
    ? "Does .dockerignore exclude it?"
    : `Fix it, or try it by hand: docker build ${shellWord(spec.contextDir)}`;
  return new SettError(
    "build-failed",
    `The image ${spec.tag} could not be built: ${shortReason(reason.trim())}${output}`,
    {
      hint,
      cause,
    },
  );
}

/**
 * The Engine repeats the whole script in its reason: the beginning is enough, because the output
 * follows.
 */
function shortReason(reason: string): string {
  if (reason.length <= 200) return reason;
  return reason.replace(
    /^(The command '[^\n]{0,100})[\s\S]*(' returned a non-zero code: \d+)$/,
    "$1 …$2",
  );
}

/**
 * The text of a message for people: output of a step, or the progress of pulling the base image.
 */
function textOf(message: EngineMessage): string {
  if (message.stream !== undefined) return message.stream;
  if (message.status === undefined) return "";
  return `${[message.id, message.status, message.progress].filter((part) => part !== undefined).join(" ")}\n`;
}

/**
 * Output comes in pieces of any size; people read lines. A tool's colours would end up in error
 * messages and logs.
 */
function recorder(onLine: (line: string) => void): Output {
  const lastLines: string[] = [];
  let rest = "";
  return {
    lastLines,
    push(text) {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? "";
      for (const line of lines.map(stripVTControlCharacters)) {
        if (line.trim() === "") continue;
        lastLines.push(line);
        if (lastLines.length > shownLines) lastLines.shift();
        onLine(line);
      }
    },
  };
}
