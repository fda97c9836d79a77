import { expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { AgentName } from "../../../lib/model/ids.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import { idLabel, instanceLabel } from "../../../lib/runtime/labels.ts";
import { agentImageTag } from "../../../lib/runtime/names.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { docker, tinyImage } from "../../support/docker/tiny-image.ts";
import { isNight, nightly } from "../../support/nightly.ts";

const timeLimitMs = 600_000;

/** A folder with these files, removed at the end. */
async function folder(files: Record<string, string>): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "sett-build-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const spec = (contextDir: string, tag: string) => ({
  contextDir,
  dockerfile: "Dockerfile",
  args: {},
  tag,
  labels: {},
});
/** Whatever its id, and no image without a name. */
const anything = { id: undefined, ids: [], begun: [] };
const quiet = { onProgress: () => {} };

test(
  "a build says what it does, and the image tells its settings",
  async () => {
    await using sett = await dockerInstance();
    await using context = await folder({
      "sub/Dockerfile.agent": `FROM ${tinyImage}\nARG COLOUR\nRUN echo "painted $COLOUR"\nENV COLOUR=$COLOUR LD_LIBRARY_PATH=/opt\nWORKDIR /app\nVOLUME /data\nUSER 7:8\nENTRYPOINT ["/bin/sh"]\nCMD ["-c", "true"]\n`,
    });
    const lines: string[] = [];
    const image = await sett.runtime.engine.images.build(
      {
        contextDir: context.path,
        dockerfile: "./sub/Dockerfile.agent",
        args: { COLOUR: "red" },
        tag: sett.imageTag("settings"),
        labels: { "dev.sett.test": "yes" },
      },
      { onProgress: (line) => lines.push(line) },
    );
    expect(lines).toContain("painted red");
    expect(image).toMatchObject({
      digest: undefined,
      user: "7:8",
      env: { PATH: "/bin", COLOUR: "red", LD_LIBRARY_PATH: "/opt" },
      entrypoint: ["/bin/sh"],
      command: ["-c", "true"],
      workingDir: "/app",
      volumes: ["/data"],
      labels: { "dev.sett.test": "yes" },
    });
    expect(image.id).toStartWith("sha256:");
    expect(image.architecture).toBe((await sett.runtime.observe.check()).architecture);
  },
  timeLimitMs,
);

nightly(
  "a build has the proxies that docker's settings name, the image does not, and an argument of the file counts more",
  async () => {
    await using sett = await dockerInstance();
    const proxies = { default: { httpProxy: "http://a:1", noProxy: "b" } };
    await using settings = await folder({ "config.json": JSON.stringify({ proxies }) });
    await using context = await folder({
      Dockerfile: `FROM ${tinyImage}\nRUN echo "by $HTTP_PROXY, $http_proxy, not $NO_PROXY"\n`,
    });
    const env = { ...process.env, DOCKER_CONFIG: settings.path };
    const { images } = (await dockerRuntime({ env })).engine;
    const lines: string[] = [];
    const image = await images.build(
      { ...spec(context.path, sett.imageTag("proxies")), args: { NO_PROXY: "c" } },
      { onProgress: (line) => lines.push(line) },
    );
    expect(lines).toContain("by http://a:1, http://a:1, not c");
    expect(image.env).toEqual({ PATH: "/bin" });
  },
  timeLimitMs,
);

test(
  "a failed build shows the last lines of its output and leaves no container",
  async () => {
    await using sett = await dockerInstance();
    await using context = await folder({
      Dockerfile: `FROM ${tinyImage}\nRUN seq 100 130 && echo "no such wind" >&2 && exit 3\n`,
    });
    const failure = await sett.runtime.engine.images
      .build(spec(context.path, sett.imageTag("bad")), quiet)
      .catch((error) => error);
    expect(failure).toMatchObject({ code: "build-failed" });
    expect(failure.message).toContain("returned a non-zero code: 3");
    expect(failure.message).toContain("no such wind");
    expect(failure.message).toContain("130");
    expect(failure.message).not.toMatch(/^ *105$/m);
    const left = (await docker("ps", "--all", "--no-trunc", "--format", "{{.Command}}")).stdout;
    expect(left).not.toContain("no such wind");
  },
  timeLimitMs,
);

test(
  "of a long script that failed the engine's reason shows the beginning, and the output what it said",
  async () => {
    await using sett = await dockerInstance();
    const script = [
      "echo no such wind",
      ...Array.from({ length: 30 }, (_, at) => `line=${at}`),
      "exit 3",
    ].join("\n");
    await using context = await folder({
      Dockerfile: `FROM ${tinyImage}\nRUN ${JSON.stringify(["/bin/sh", "-c", script])}\n`,
    });
    const failure = await sett.runtime.engine.images
      .build(spec(context.path, sett.imageTag("long")), quiet)
      .catch((error) => error);
    const [reason = "", ...output] = failure.message.split("\n");
    expect(reason).toMatch(
      /could not be built: The command '.*echo no such wind …' returned a non-zero code: 3$/,
    );
    expect(output).toContain("  no such wind");
  },
  timeLimitMs,
);

test(
  ".dockerignore counts, with its exceptions, and may exclude the Dockerfile itself",
  async () => {
    await using sett = await dockerInstance();
    await using context = await folder({
      Dockerfile: `FROM ${tinyImage}\nCOPY . /app\n`,
      ".dockerignore": "*\n!keep\nkeep/secret\n",
      "drop/file": "",
      "keep/deep/file": "",
      "keep/secret": "",
    });
    await mkdir(join(context.path, "keep", "empty"));
    const tag = sett.imageTag("ignore");
    await sett.runtime.engine.images.build(spec(context.path, tag), quiet);
    const { id } = await sett.run("cd /app && ls -AR .", { image: tag });
    await sett.runtime.workers.wait(id);
    const listing: string[] = [];
    for await (const { line } of sett.runtime.observe.logs(id)) if (line !== "") listing.push(line);
    expect(listing).toEqual([
      ".:",
      "keep",
      "./keep:",
      "deep",
      "empty",
      "./keep/deep:",
      "file",
      "./keep/empty:",
    ]);
  },
  timeLimitMs,
);

const ignoring = [
  ["**, with an exception", { ".dockerignore": "**\n!run.sh\n" }, ["run.sh"]],
  [
    "the file of patterns that is the Dockerfile's own",
    { "Dockerfile.dockerignore": "D*\nsub\n" },
    ["run.sh"],
  ],
  [
    "that file, beside another",
    { "Dockerfile.dockerignore": "*\n!.d*\n", ".dockerignore": "run.sh\n" },
    [".dockerignore"],
  ],
] as const;

test.each(ignoring.slice(isNight ? 0 : -1))(
  "a step sees what .dockerignore leaves: %s",
  async (_, files, seen) => {
    await using sett = await dockerInstance();
    await using context = await folder({
      Dockerfile: `FROM ${tinyImage}\nCOPY . /app\nRUN cd /app && echo "seen: $(ls -A)"\n`,
      "run.sh": "",
      "sub/run.sh": "",
      ...files,
    });
    const lines: string[] = [];
    await sett.runtime.engine.images.build(spec(context.path, sett.imageTag("seen")), {
      onProgress: (line) => lines.push(line),
    });
    expect(lines).toContain(`seen: ${seen.join("\n")}`);
  },
  timeLimitMs,
);

test("modes of folders come along", async () => {
  await using sett = await dockerInstance();
  await using context = await folder({
    Dockerfile: `FROM ${tinyImage}\nCOPY . /app\nRUN stat -c "mode %a %u" /app/sub\n`,
    "sub/file": "",
  });
  await chmod(join(context.path, "sub"), 0o2770);
  const lines: string[] = [];
  await sett.runtime.engine.images.build(spec(context.path, sett.imageTag("mode")), {
    onProgress: (line) => lines.push(line),
  });
  expect(lines).toContain("mode 2770 0");
});

test("files from before 1970, and from far ahead, come along", async () => {
  await using sett = await dockerInstance();
  await using context = await folder({
    Dockerfile: `FROM ${tinyImage}\nCOPY old new /\n`,
    old: "",
    new: "",
  });
  await $`sh -c "touch -d 1960-01-01 old; touch -d 2100-01-01 new"`.cwd(context.path);
  const tag = sett.imageTag("times");
  const image = await sett.runtime.engine.images.build(spec(context.path, tag), quiet);
  expect(image.id).toStartWith("sha256:");
});

test("a Dockerfile that is a link builds, wherever it leads, and no step sees it", async () => {
  await using sett = await dockerInstance();
  await using elsewhere = await folder({
    D: `FROM ${tinyImage}\nCOPY . /app\nRUN ls -a /app && : ${crypto.randomUUID()}\n`,
  });
  await using context = await folder({
    "run.sh": "",
    "ignored/x": "",
    ".dockerignore": "ignored\n",
  });
  await symlink(join(elsewhere.path, "D"), join(context.path, "Dockerfile"));
  const lines: string[] = [];
  const build = (tag: string) =>
    sett.runtime.engine.images.build(spec(context.path, sett.imageTag(tag)), {
      onProgress: (line) => lines.push(line),
    });
  await build("linked");
  expect(
    lines.filter((line) => /^(?:\.dockerignore|Dockerfile|run\.sh|ignored|\.sett.*)$/.test(line)),
  ).toEqual(["Dockerfile", "run.sh"]);
  // The Engine never gets the file behind this link.
  await rm(join(context.path, "Dockerfile"));
  await writeFile(join(context.path, "ignored/D"), `FROM ${tinyImage}\n`);
  await symlink("ignored/D", join(context.path, "Dockerfile"));
  await build("ignored");
});

test("a variable of the platform is set without BuildKit, too", async () => {
  await using sett = await dockerInstance();
  await using context = await folder({
    Dockerfile: `FROM ${tinyImage}\nARG TARGETARCH\nARG TARGETPLATFORM\nRUN echo "for $TARGETARCH $TARGETPLATFORM"\n`,
  });
  const lines: string[] = [];
  await sett.runtime.engine.images.build(spec(context.path, sett.imageTag("arch")), {
    onProgress: (line) => lines.push(line),
  });
  const { architecture } = await sett.runtime.observe.check();
  expect(lines).toContain(`for ${architecture} linux/${architecture}`);
});

test("a build that cannot begin says why in a sentence", async () => {
  await using sett = await dockerInstance();
  await using context = await folder({ "bad/Dockerfile": "FRM nothing\n", file: "" });
  const { images } = sett.runtime.engine;
  const tag = sett.imageTag("none");
  await expect(images.build(spec("/no/such/folder", tag), quiet)).rejects.toMatchObject({
    code: "build-failed",
    message: `The build context /no/such/folder of ${tag} does not exist.`,
  });
  await expect(images.build(spec(join(context.path, "file"), tag), quiet)).rejects.toMatchObject({
    message: `The build context ${context.path}/file of ${tag} is not a folder.`,
  });
  await expect(images.build(spec(context.path, tag), quiet)).rejects.toMatchObject({
    message: `There is no Dockerfile in the build context ${context.path} of ${tag}.`,
  });
  await expect(
    images.build({ ...spec(context.path, tag), dockerfile: "../Dockerfile" }, quiet),
  ).rejects.toMatchObject({
    message: `The Dockerfile ../Dockerfile of ${tag} is outside its build context.`,
  });
  await expect(images.build(spec(join(context.path, "bad"), tag), quiet)).rejects.toMatchObject({
    code: "build-failed",
    message: expect.stringContaining("FRM"),
  });
});

test("an interrupted build ends at once", async () => {
  await using sett = await dockerInstance();
  await using context = await folder({
    Dockerfile: `FROM ${tinyImage}\nRUN echo started && sleep 60\n`,
  });
  const interrupt = new AbortController();
  const build = sett.runtime.engine.images.build(spec(context.path, sett.imageTag("slow")), {
    onProgress: (line) => line === "started" && interrupt.abort(),
    signal: interrupt.signal,
  });
  await expect(build).rejects.toMatchObject({ code: "interrupted" });
});

test("an image that is nowhere is undefined to find and an error to pull", async () => {
  await using sett = await dockerInstance();
  expect(await sett.runtime.engine.images.find("sett-test/no-such-image:1")).toBeUndefined();
  // A registry on a port that nothing listens on answers at once on every machine, with a network
  // or without.
  const failure = await sett.runtime.engine.images
    .pull("127.0.0.1:1/no-such-image", quiet)
    .catch((error) => error);
  expect(failure).toMatchObject({ code: "image-not-found" });
  expect(failure.message).toStartWith("The image 127.0.0.1:1/no-such-image could not be pulled: ");
}, 600_000);

test("what was built for an instance goes with it, but not what a person has built on it, with a name or without", async () => {
  await using sett = await dockerInstance();
  const { instance, runtime } = sett;
  await using context = await folder({
    Dockerfile: `FROM ${tinyImage}\nCOPY file /\n`,
    file: "first",
  });
  const tag = agentImageTag(instance, AgentName.parse("coder"));
  const labels = { [instanceLabel]: instance, [idLabel]: "aa.1" };
  const older = await runtime.engine.images.build({ ...spec(context.path, tag), labels }, quiet);
  await writeFile(join(context.path, "file"), "second");
  const newer = await runtime.engine.images.build({ ...spec(context.path, tag), labels }, quiet);
  await using onTop = await folder({ Dockerfile: `FROM ${tag}\nCOPY Dockerfile /\nENV MINE=1\n` });
  const mine = sett.imageTag("mine");
  await runtime.engine.images.build(spec(onTop.path, mine), quiet);
  await writeFile(join(onTop.path, "Dockerfile"), `FROM ${tag}\nCOPY Dockerfile /\nENV MINE=2\n`);
  const nameless = (await $`docker build --quiet ${onTop.path}`.text()).trim();
  const beside = tag.replace(":latest", ":mine");
  await $`docker tag ${tag} ${beside}`.quiet();
  // A person's names for images need not look different.
  const [likeOurs = "", begun = ""] = ["spare", "begun"].map((name) =>
    agentImageTag(instance, AgentName.parse(name)),
  );
  await $`docker build --quiet --tag ${likeOurs} ${onTop.path}`.quiet();
  await writeFile(join(context.path, "file"), "third");
  await runtime.engine.images.build({ ...spec(context.path, begun), labels }, quiet);
  const ofAnother = agentImageTag(instance, AgentName.parse("other"));
  await runtime.engine.images.build(
    { ...spec(context.path, ofAnother), labels: { ...labels, [idLabel]: "bb.2" } },
    quiet,
  );

  const own = { id: "aa.1", ids: [older.id, newer.id], begun: [begun] };
  const removed = await runtime.engine.images.removeBuilt(instance, own);
  expect(removed.toSorted()).toEqual([begun, tag]);
  expect(await runtime.engine.images.find(likeOurs)).toMatchObject({ env: { MINE: "2" } });
  expect(await runtime.engine.images.find(tag)).toBeUndefined();
  expect(await runtime.engine.images.find(older.id)).toBeUndefined();
  expect(await runtime.engine.images.find(mine)).toMatchObject({ env: { MINE: "1" }, labels });
  expect(await runtime.engine.images.find(nameless)).toMatchObject({ env: { MINE: "2" }, labels });
  expect(await runtime.engine.images.find(beside)).toBeDefined();
  expect(await runtime.engine.images.find(ofAnother)).toBeDefined();
  await $`docker rmi --force ${nameless} ${beside} ${ofAnother} ${likeOurs}`.quiet();
}, 600_000);

test("agents whose images are the same one lose all its names with it, also when several clear away at once", async () => {
  await using sett = await dockerInstance();
  const { instance, runtime } = sett;
  const tags = [..."abcdefghijkl"].map((name) => agentImageTag(instance, AgentName.parse(name)));
  for (const times of [1, 4]) {
    await using context = await folder({ Dockerfile: `FROM ${tinyImage}\nENV SHARED=${times}\n` });
    // The builder has it already from the second name on.
    for (const tag of tags)
      await runtime.engine.images.build(
        { ...spec(context.path, tag), labels: { [instanceLabel]: instance } },
        quiet,
      );
    await Promise.all(
      Array.from({ length: times }, () => runtime.engine.images.removeBuilt(instance, anything)),
    );
    for (const tag of tags) expect(await runtime.engine.images.find(tag)).toBeUndefined();
  }
}, 600_000);

test("an image that a container still uses stays", async () => {
  await using sett = await dockerInstance();
  const { instance, runtime } = sett;
  await using context = await folder({ Dockerfile: `FROM ${tinyImage}\nENV USED=1\n` });
  const tag = agentImageTag(instance, AgentName.parse("coder"));
  await runtime.engine.images.build(
    { ...spec(context.path, tag), labels: { [instanceLabel]: instance } },
    quiet,
  );
  const { id } = await sett.run("sleep 600", { image: tag });
  await runtime.engine.images.removeBuilt(instance, anything);
  expect(await runtime.engine.images.find(tag)).toBeDefined();
  await runtime.apply.remove(id);
  await runtime.engine.images.removeBuilt(instance, anything);
  expect(await runtime.engine.images.find(tag)).toBeUndefined();
}, 600_000);

test("an image that lost its names is removed by its id, and one that a person has named, or that runs, is not", async () => {
  await using sett = await dockerInstance();
  const { apply, engine } = sett.runtime;
  const { images } = engine;
  await using context = await folder({ Dockerfile: `FROM ${tinyImage}\nCOPY file /\n`, file: "0" });
  const tag = agentImageTag(sett.instance, AgentName.parse("coder"));
  const build = async (content: string) => {
    await writeFile(join(context.path, "file"), content);
    return (
      await images.build(
        { ...spec(context.path, tag), labels: { [instanceLabel]: sett.instance } },
        quiet,
      )
    ).id;
  };
  const [older, running, named] = [await build("1"), await build("2"), await build("3")];
  const mine = sett.imageTag("mine");
  await $`docker tag ${named} ${mine}`.quiet();
  const { id: container } = await sett.run("sleep 600", { image: running });
  const newest = await build("4");
  for (const id of [older, running, named, newest]) await images.removeUnnamed(id);
  const left = await Promise.all([older, running, named, newest].map((id) => images.find(id)));
  expect(left.map((image) => image !== undefined)).toEqual([false, true, true, true]);
  expect(await images.find(mine)).toBeDefined();
  await apply.remove(container);
  await images.removeUnnamed(running);
  expect(await images.find(running)).toBeUndefined();
  await images.removeBuilt(sett.instance, anything);
}, 600_000);
