// Builds the image of an agent with `path`: `@devcontainers/cli` builds it, and Sett adds a layer.
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { checkDevcontainer, type Devcontainer } from "../../../../lib/config/devcontainer.ts";
import { clauseOf, SettError } from "../../../../lib/model/errors.ts";
import { runBuildProgram } from "../../../../lib/runtime/docker/build-program.ts";
import { dockerEnvironment } from "../../../../lib/runtime/docker/docker-program.ts";
import { findEngine } from "../../../../lib/runtime/docker/find-engine.ts";
import { buildSilenceMs, patienceIn } from "../../../../lib/runtime/docker/patience.ts";
import { devcontainerTag } from "../../../../lib/runtime/names.ts";
import type { ImageInfo, Images, Progress } from "../../../../lib/runtime/port.ts";
import { devcontainerLayer, type Surroundings } from "./devcontainer-layer.ts";

const shownLines = 20;

/**
 * Reads the devcontainer.json that was checked with sett.yml. Throws `build-failed` if it has
 * become invalid since.
 */
export async function readDevcontainer(folder: string): Promise<Devcontainer> {
  const { devcontainer, mistakes } = await checkDevcontainer(folder);
  if (devcontainer !== undefined) return devcontainer;
  throw new SettError(
    "build-failed",
    `No image can be built from ${folder}: ${mistakes.join("; ")}.`,
    {
      hint: "Correct its devcontainer.json. `sett validate` checks it.",
    },
  );
}

type BuildInput = {
  runtime: { engine: { images: Pick<Images, "find" | "build" | "untag"> } };
  devcontainer: Devcontainer;
  tag: string;
  labels: Record<string, string>;
  surroundings: Surroundings;
};

/** Throws `build-failed`, also when `devcontainer` is not installed. */
export async function buildDevcontainer(input: BuildInput, progress: Progress): Promise<ImageInfo> {
  const { runtime, devcontainer, tag, labels, surroundings } = input;
  const base = devcontainerTag(tag);
  const host = dockerEnvironment(await findEngine(surroundings.host), surroundings.host);
  await runDevcontainer(devcontainer, base, host, progress);
  const made = await runtime.engine.images.find(base);
  if (made === undefined) {
    throw new SettError(
      "build-failed",
      `\`devcontainer\` has built ${base} in another Docker Engine than the one that sett uses.`,
      {
        hint: "`docker context ls` and DOCKER_HOST must name the same Engine.",
      },
    );
  }
  const layer = devcontainerLayer(
    { tag: base, user: made.user, labels: made.labels },
    surroundings,
  );
  const contextDir = await mkdtemp(join(tmpdir(), "sett-devcontainer-"));
  try {
    await writeFile(join(contextDir, "Dockerfile"), layer.dockerfile);
    const spec = {
      contextDir,
      dockerfile: "Dockerfile",
      args: {},
      tag,
      labels: { ...labels, ...layer.labels },
    };
    return await runtime.engine.images.build(spec, progress);
  } catch (error) {
    if (!(error instanceof SettError) || error.code !== "build-failed") throw error;
    // The build's own hint would name the temporary folder, which is removed by then.
    const hint = `Correct ${devcontainer.file}: sett adds its user, variables and commands to the image, and one of them failed.`;
    throw new SettError("build-failed", error.message, { hint, cause: error });
  } finally {
    await rm(contextDir, { recursive: true });
    await runtime.engine.images.untag(base);
  }
}

async function runDevcontainer(
  { folder, file, hasFeatures }: Devcontainer,
  tag: string,
  env: Surroundings["host"],
  { onProgress, signal }: Progress,
): Promise<void> {
  const args = ["build", "--workspace-folder", folder, "--config", file, "--image-name", tag];
  // Without this option it would write a lock file into the repository, which is then no longer
  // clean.
  if (hasFeatures)
    args.push((await isPresent(lockFileOf(file))) ? "--frozen-lockfile" : "--no-lockfile");
  const lastLines: string[] = [];
  const answer: string[] = [];
  const onLine = (line: string) => {
    const text = stripVTControlCharacters(line).replace(/^\[\S+Z\] /, "");
    // Keeps the messages of the Engine, and drops the stack trace of the program.
    if (text.trim() === "" || /^ +at /.test(text)) return;
    lastLines.push(text);
    if (lastLines.length > shownLines) lastLines.shift();
    onProgress(text);
  };
  const silenceMs = buildSilenceMs(patienceIn(env));
  try {
    const code = await runBuildProgram({
      ...{ program: "devcontainer", args, env: { ...env }, silenceMs, signal },
      read({ stdout, stderr }) {
        createInterface({ input: stdout }).on("line", (line) => answer.push(line));
        createInterface({ input: stderr }).on("line", onLine);
      },
    });
    if (signal?.aborted) throw new SettError("interrupted", "Interrupted.");
    if (code === 0) return;
    const output = lastLines.map((line) => `\n  ${line}`).join("");
    throw new SettError(
      "build-failed",
      `The image ${tag} could not be built: ${reasonOf(answer)}${output}`,
      {
        hint: `Fix it, or try it by hand: devcontainer build --workspace-folder ${folder} --config ${file}`,
      },
    );
  } catch (error) {
    if (!(error instanceof Error && "code" in error) || error instanceof SettError) throw error;
    if (error.code !== "ENOENT")
      throw new SettError("build-failed", `\`devcontainer\` could not be run: ${clauseOf(error)}.`);
    throw new SettError(
      "build-failed",
      `An agent's image is built from ${file}, and there is no program \`devcontainer\` on the PATH.`,
      {
        hint: "Install it: npm install -g @devcontainers/cli",
        cause: error,
      },
    );
  }
}

/** The program prints its result as a line of JSON. */
function reasonOf(answer: readonly string[]): string {
  try {
    const { message, description }: { message?: unknown; description?: unknown } = JSON.parse(
      answer.at(-1) ?? "",
    );
    return String(message ?? description);
  } catch {
    return "`devcontainer build` failed.";
  }
}

function lockFileOf(file: string): string {
  return join(
    dirname(file),
    file.endsWith("/.devcontainer.json") ? ".devcontainer-lock.json" : "devcontainer-lock.json",
  );
}

async function isPresent(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
