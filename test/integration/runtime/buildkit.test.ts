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

test.skipIf(env === undefined || !isNight)(
  "what a base image triggers is built with BuildKit where it is there",
  async () => {
    await using sett = await dockerInstance();
    await using base = await contextOf(
      "ONBUILD RUN --mount=type=tmpfs,target=/scratch touch /made",
    );
    await using context = await contextOf("");
    const runtime = await dockerRuntime({ env: env ?? {} });
    const { images } = runtime.engine;
    const tag = sett.imageTag("triggers");
    await images.build(spec(base.path, tag), quiet);
    await writeFile(join(context.path, "Dockerfile"), `FROM ${tag}\nCOPY run.sh /\n`);
    const image = await images.build(spec(context.path, sett.imageTag("triggered")), quiet);
    expect(await images.readFile(image.id, "/made")).toBe("");
  },
  timeLimitMs,
);

/** An Engine from version 23 on has a BuildKit that knows heredocs. */
const isNew =
  isNight &&
  env !== undefined &&
  Number((await (await dockerRuntime({ env })).observe.check()).version.split(".")[0]) >= 23;

test.skipIf(!isNew)(
  "a newer Engine builds heredocs and links, and each file has what was written for it",
  async () => {
    await using sett = await dockerInstance();
    const runtime = await dockerRuntime({ env: env ?? {} });
    const { images } = runtime.engine;
    await using context = await contextOf(
      [
        "ARG COLOUR",
        "COPY <<one <<'two' /made/\na $COLOUR\none\nb $COLOUR\ntwo",
        "RUN <<-EOF\n\tcat > /made/three <<INNER\n\tFROM nothing\n\tINNER\n\tEOF",
        "COPY --link --chmod=0640 run.sh /made/four",
        "RUN cat > /made/five 3<<EOF <&3\n# c\n\nd\nEOF",
      ].join("\n"),
    );
    const image = await images.build(spec(context.path, sett.imageTag("heredocs")), quiet);
    const made = async (name: string) => String(await images.readFile(image.id, `/made/${name}`));
    expect(await Promise.all(["one", "two", "three", "four", "five"].map(made))).toEqual([
      "a dark red\n",
      "b $COLOUR\n",
      "FROM nothing\n",
      "",
      "# c\n\nd\n",
    ]);
  },
  timeLimitMs,
);

test.skipIf(env === undefined || isNew || !isNight)(
  "what the Engine's BuildKit is too old for is named with its line",
  async () => {
    await using sett = await dockerInstance();
    const runtime = await dockerRuntime({ env: env ?? {} });
    await using context = await contextOf("COPY run.sh /\nCOPY <<EOF /made\nhi\nEOF");
    await expect(
      runtime.engine.images.build(spec(context.path, sett.imageTag("old")), quiet),
    ).rejects.toMatchObject({
      message: expect.stringContaining(
        `could not be built: the Engine's BuildKit does not know \`COPY <<EOF\` in line 3 of ${context.path}/Dockerfile: `,
      ),
      hint: expect.stringContaining("# syntax=docker/dockerfile:1"),
    });
  },
  timeLimitMs,
);

test(
  "a heredoc that no line ends builds nothing, and not a file that is empty",
  async () => {
    await using sett = await dockerInstance();
    await using context = await contextOf("RUN cat > /made <<EOF");
    const tag = sett.imageTag("open");
    await expect(
      sett.runtime.engine.images.build(spec(context.path, tag), quiet),
    ).rejects.toMatchObject({
      code: "build-failed",
      message: `The image of the agent coder cannot be built: line 2 of ${context.path}/Dockerfile has \`RUN <<EOF\`, and no line ends it.`,
    });
    expect(await sett.runtime.engine.images.find(tag)).toBeUndefined();
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
