// Dockerfiles that only BuildKit builds, with the docker command line of this machine and without
// one.
import { expect, test } from "bun:test";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentName } from "../../../lib/model/ids.ts";
import { lackOfBuildKit } from "../../../lib/runtime/docker/buildkit.ts";
import type { HostEnvironment } from "../../../lib/runtime/docker/docker-config.ts";
import { findEngine } from "../../../lib/runtime/docker/find-engine.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { tinyImage } from "../../support/docker/tiny-image.ts";
import { isNight } from "../../support/nightly.ts";

const timeLimitMs = 600_000;
const quiet = { onProgress: () => {} };

/**
 * A machine may have two: a newer one without the plugin before the one that Debian packs with its
 * Engine.
 */
async function withBuildKit(): Promise<HostEnvironment | undefined> {
  for (const env of [process.env, { ...process.env, PATH: "/usr/bin:/bin" }]) {
    if ((await lackOfBuildKit({ address: await findEngine(env), env })) === undefined) return env;
  }
  return undefined;
}

const env = await withBuildKit();

async function contextOf(dockerfile: string): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "sett-buildkit-"));
  await writeFile(join(path, "Dockerfile"), `FROM ${tinyImage}\n${dockerfile}\n`);
  await writeFile(join(path, "run.sh"), "");
  await writeFile(join(path, ".dockerignore"), "*\n!run.sh\n");
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const spec = (contextDir: string, tag: string) => ({
  agent: AgentName.parse("coder"),
  contextDir,
  dockerfile: "Dockerfile",
  args: { COLOUR: "dark red" },
  tag,
  labels: { "dev.sett.test": "a b" },
});

test.skipIf(env === undefined)(
  "a mount is built with BuildKit, with arguments and labels, by patterns of .dockerignore, and tells its steps",
  async () => {
    await using sett = await dockerInstance();
    await using context = await contextOf(
      // A step that was built before would say nothing.
      `ARG COLOUR\nCOPY . /app\nRUN --mount=type=tmpfs,target=/scratch echo "$COLOUR $(ls /app)" && touch /scratch/file && : ${crypto.randomUUID()}`,
    );
    const lines: string[] = [];
    const runtime = await dockerRuntime({ env: env ?? {} });
    const tag = sett.imageTag("mount");
    const image = await runtime.engine.images.build(spec(context.path, tag), {
      onProgress: (line) => lines.push(line),
    });
    expect(lines.some((line) => /^#\d+ [\d.]+ dark red run\.sh$/.test(line))).toBe(true);
    expect(image.labels).toEqual({ "dev.sett.test": "a b" });
    expect(await sett.runtime.engine.images.find(tag)).toEqual(image);
  },
  timeLimitMs,
);

test.skipIf(env === undefined)(
  "a build with BuildKit that fails ends with its reason and its last lines",
  async () => {
    await using sett = await dockerInstance();
    await using context = await contextOf(
      "RUN --mount=type=tmpfs,target=/scratch echo no such wind && exit 3",
    );
    const runtime = await dockerRuntime({ env: env ?? {} });
    const failure = await runtime.engine.images
      .build(spec(context.path, sett.imageTag("bad")), quiet)
      .catch((error) => error);
    expect(failure).toMatchObject({ code: "build-failed" });
    const [reason = "", ...output] = failure.message.split("\n");
    expect(reason).toMatch(/could not be built: .*exit code: 3$/);
    expect(output.join("\n")).toContain("no such wind");
  },
  timeLimitMs,
);

test.skipIf(env === undefined)(
  "an interrupted build with BuildKit ends at once",
  async () => {
    await using sett = await dockerInstance();
    await using context = await contextOf(
      "RUN --mount=type=tmpfs,target=/scratch echo has begun && sleep 10000",
    );
    const interrupt = new AbortController();
    const runtime = await dockerRuntime({ env: env ?? {} });
    const build = runtime.engine.images.build(spec(context.path, sett.imageTag("slow")), {
      onProgress: (line) => /[\d.]+ has begun$/.test(line) && interrupt.abort(),
      signal: interrupt.signal,
    });
    await expect(build).rejects.toMatchObject({ code: "interrupted" });
  },
  timeLimitMs,
);

test.skipIf(env === undefined)(
  "a stage that nothing needs is not built where BuildKit is there",
  async () => {
    await using sett = await dockerInstance();
    await using context = await contextOf(`RUN false\nFROM ${tinyImage}\nCOPY run.sh /`);
    const runtime = await dockerRuntime({ env: env ?? {} });
    const tag = sett.imageTag("unused");
    const image = await runtime.engine.images.build(spec(context.path, tag), quiet);
    expect(image.labels).toEqual({ "dev.sett.test": "a b" });
  },
  timeLimitMs,
);

const needBuildKit = [
  ["COPY <<EOF /hello\nhi\nEOF", "COPY <<EOF"],
  ["RUN <<EOF\ntrue\nEOF", "RUN <<EOF"],
  ["COPY --link run.sh /", "COPY --link"],
  ["RUN --mount=type=tmpfs,target=/scratch true", "RUN --mount"],
  ["FROM --platform=$BUILDPLATFORM scratch", "FROM with $BUILDPLATFORM"],
];

test.each(needBuildKit.slice(isNight ? 0 : -1))(
  "without BuildKit no image is made: %j",
  async (dockerfile, what) => {
    await using sett = await dockerInstance();
    await using context = await contextOf(`\n${dockerfile}`);
    const programs = await mkdtemp(join(tmpdir(), "sett-no-docker-"));
    try {
      await symlink("/bin/true", join(programs, "true"));
      const runtime = await dockerRuntime({ env: { ...process.env, PATH: programs } });
      const tag = sett.imageTag("none");
      await expect(
        runtime.engine.images.build(spec(context.path, tag), quiet),
      ).rejects.toMatchObject({
        code: "build-failed",
        message: `The image of the agent coder needs BuildKit, and this machine has none: there is no program \`docker\` on the PATH. Line 3 of ${context.path}/Dockerfile has \`${what}\`.`,
      });
      expect(await runtime.engine.images.find(tag)).toBeUndefined();
    } finally {
      await rm(programs, { recursive: true });
    }
  },
  timeLimitMs,
);

test("an official frontend that nothing else needs is not pulled", async () => {
  await using sett = await dockerInstance();
  await using context = await contextOf("COPY run.sh /");
  await writeFile(
    join(context.path, "Dockerfile"),
    `# syntax=docker/dockerfile:1\nFROM ${tinyImage}\nCOPY run.sh /\n`,
  );
  const image = await sett.runtime.engine.images.build(
    spec(context.path, sett.imageTag("syntax")),
    quiet,
  );
  expect(image.labels).toEqual({ "dev.sett.test": "a b" });
});
