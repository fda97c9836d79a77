// Builds with BuildKit through `docker build`, as a person would: the Engine's own API serves it
// only to a client that answers its questions during the build, which is what the command line of
// Docker is.
import { type ChildProcess, spawn } from "node:child_process";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { messageOf, SettError } from "../../model/errors.ts";
import { killGroup } from "../../process/kill-group.ts";
import type { BuildSpec } from "../port.ts";
import type { HostEnvironment } from "./docker-config.ts";
import { dockerEnvironment } from "./docker-program.ts";
import type { EngineAddress } from "./find-engine.ts";

/** `env`: in which `docker` is found. */
export type BuildKitPlace = { address: EngineAddress; env: HostEnvironment };

/** How long `docker build` may take to end after it was asked to. */
const graceMs = 5_000;
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
 * abort of the signal.
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
  { address, env }: BuildKitPlace,
  onLine: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  // A process group of its own: Ctrl-C of a terminal would otherwise end it before it is asked to,
  // and its plugin not at all.
  const child = spawn("docker", args, {
    env: environment(address, env),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = () => endGroup(child);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await new Promise<number | null>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on("line", onLine);
      child.on("error", reject).on("close", resolve);
    });
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function endGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  killGroup(pid, "SIGTERM");
  const last = setTimeout(() => killGroup(pid, "SIGKILL"), graceMs);
  child.once("close", () => clearTimeout(last));
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
