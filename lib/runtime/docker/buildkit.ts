// Builds with BuildKit through `docker build`, as a person would: the Engine's own API serves it
// only to a client that answers its questions during the build, which is what the command line of
// Docker is.
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { messageOf, SettError } from "../../model/errors.ts";
import type { BuildSpec } from "../port.ts";
import { runBuildProgram } from "./build-program.ts";
import type { HostEnvironment } from "./docker-config.ts";
import { dockerEnvironment } from "./docker-program.ts";
import type { EngineAddress } from "./find-engine.ts";

/** `env`: in which `docker` is found. `silenceMs`: how long a build may say nothing. */
export type BuildKitPlace = { address: EngineAddress; env: HostEnvironment; silenceMs?: number };

const probeMs = 20_000;

/** Why BuildKit cannot be used here, as a clause; undefined where it can. */
export async function lackOfBuildKit(place: BuildKitPlace): Promise<string | undefined> {
  const lines: string[] = [];
  try {
    const code = await run(
      ["build", "--help"],
      place,
      (line) => lines.push(line),
      AbortSignal.timeout(probeMs),
    );
    // An option that the help has only with BuildKit.
    if (code === 0 && lines.some((line) => line.includes("--secret"))) return undefined;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing
      ? "there is no program `docker` on the PATH"
      : `\`docker build\` could not be run: ${messageOf(error)}`;
  }
  const isWithout = lines.some((line) => /buildx/i.test(line));
  return isWithout ? "its `docker` has no buildx" : "its `docker build` does not know it";
}

/**
 * Returns the exit code. Its lines are those of `--progress=plain`. Throws `interrupted` after an
 * abort of the signal, and `docker-unreachable`.
 */
export async function buildWithBuildKit(
  { contextDir, tag, args, labels }: BuildSpec,
  dockerfile: string,
  place: BuildKitPlace,
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const command = [
    ...[
      "build",
      "--progress=plain",
      "--tag",
      tag,
      "--file",
      await realpath(join(contextDir, dockerfile)),
    ],
    ...Object.entries(labels).flatMap(([name, value]) => ["--label", `${name}=${value}`]),
    ...Object.entries(args).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]),
    contextDir,
  ];
  const code = await run(command, place, onLine, signal);
  if (signal?.aborted)
    throw new SettError("interrupted", `Interrupted before Docker could build ${tag}.`);
  return code;
}

async function run(
  args: readonly string[],
  { address, env, silenceMs }: BuildKitPlace,
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  return await runBuildProgram({
    ...{ program: "docker", args, env: environment(address, env), silenceMs, signal },
    read({ stdout, stderr }) {
      for (const input of [stdout, stderr]) createInterface({ input }).on("line", onLine);
    },
  });
}

function environment(address: EngineAddress, env: HostEnvironment): NodeJS.ProcessEnv {
  return {
    ...dockerEnvironment(address, env),
    // The Engine's own builder, whose images it keeps.
    BUILDX_BUILDER: "default",
    DOCKER_BUILDKIT: "1",
    // A description of the build would make an image of each architecture a list of two.
    BUILDX_NO_DEFAULT_ATTESTATIONS: "1",
    DOCKER_CLI_HINTS: "false",
  };
}
