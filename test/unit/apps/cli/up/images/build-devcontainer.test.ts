// Shows what happens where `devcontainer build` fails, is interrupted, or is not there: with small
// programs in its place.
import { expect, test } from "bun:test";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  buildDevcontainer,
  readDevcontainer,
} from "../../../../../../apps/cli/up/images/build-devcontainer.ts";
import { devcontainerInputs } from "../../../../../../apps/cli/up/images/context-hash.ts";
import { SettError } from "../../../../../../lib/model/errors.ts";
import type { Images } from "../../../../../../lib/runtime/port.ts";
import { configFolder, failureOf } from "../../../../../support/config/config-file.ts";
import { waitFor } from "../../../../../support/wait-for.ts";

/** No engine: nothing is there, and nothing is built. */
const noImages: Pick<Images, "find" | "build" | "untag"> = {
  find: async () => undefined,
  build: () => Promise.reject(new Error("Nothing is built.")),
  untag: async () => {},
};

const files = { "agent/devcontainer.json": '{ "image": "debian:bookworm-slim" }' };

/** How it fails where `devcontainer` is this shell script; undefined: it is not installed. */
async function failure(
  script: string | undefined,
  signal?: AbortSignal,
): Promise<{ error: SettError; lines: string[]; folder: string }> {
  await using made = await configFolder(files);
  const program = join(made.folder, "devcontainer");
  if (script !== undefined) await writeFile(program, `#!/bin/sh\n${script}\n`);
  if (script !== undefined) await chmod(program, 0o755);
  const path = script === undefined ? made.folder : `${made.folder}:${process.env.PATH}`;
  const folder = join(made.folder, "agent");
  const devcontainer = await readDevcontainer(folder);
  const surroundings = { folder, owner: { uid: 1, gid: 1 }, host: { PATH: path } };
  const lines: string[] = [];
  const order = {
    runtime: { engine: { images: noImages } },
    devcontainer,
    tag: "some:latest",
    labels: {},
    surroundings,
  };
  const options = { onProgress: (line: string) => lines.push(line), ...(signal && { signal }) };
  return { error: await failureOf(buildDevcontainer(order, options)), lines, folder };
}

test("where it is not installed, it is said what to do", async () => {
  const { error } = await failure(undefined);
  expect(error.code).toBe("build-failed");
  expect(error.message).toContain("there is no program `devcontainer` on the PATH");
  expect(error.hint).toBe("Install it: npm install -g @devcontainers/cli");
});

test("its progress is shown line by line, and a failure with its reason, the last lines, and how to try it by hand", async () => {
  const script = `echo "[2026-11-22T00:00:00.000Z] Step 1/2 : FROM x" >&2; echo "no such thing" >&2
echo '{"outcome":"error","message":"Command failed: docker build"}'; exit 1`;
  const { error, lines, folder } = await failure(script);
  expect(lines).toEqual(["Step 1/2 : FROM x", "no such thing"]);
  expect(error.code).toBe("build-failed");
  expect(error.message).toBe(
    "The image some:devcontainer could not be built: Command failed: docker build\n  Step 1/2 : FROM x\n  no such thing",
  );
  expect(error.hint).toContain(
    `devcontainer build --workspace-folder ${folder} --config ${folder}/devcontainer.json`,
  );
});

test("where the layer on top fails, the hint names the devcontainer.json, for the folder of the layer is gone", async () => {
  await using made = await configFolder(files);
  const folder = join(made.folder, "agent");
  await writeFile(join(made.folder, "devcontainer"), "#!/bin/sh\n");
  await chmod(join(made.folder, "devcontainer"), 0o755);
  const base = {
    id: "sha256:1",
    digest: undefined,
    architecture: "amd64",
    user: "",
    env: {},
    entrypoint: [],
    command: [],
  };
  const images: typeof noImages = {
    find: async () => ({ ...base, workingDir: "", volumes: [], labels: {} }),
    build: ({ contextDir }) =>
      Promise.reject(
        new SettError("build-failed", "Step 2 failed.", { hint: `docker build ${contextDir}` }),
      ),
    untag: async () => {},
  };
  const surroundings = {
    folder,
    owner: { uid: 1, gid: 1 },
    host: { PATH: `${made.folder}:${process.env.PATH}` },
  };
  const devcontainer = await readDevcontainer(folder);
  const order = {
    runtime: { engine: { images } },
    devcontainer,
    tag: "some:latest",
    labels: {},
    surroundings,
  };
  const error = await failureOf(buildDevcontainer(order, { onProgress: () => {} }));
  expect(error).toMatchObject({ code: "build-failed", message: "Step 2 failed." });
  expect(error.hint).toStartWith(`Correct ${folder}/devcontainer.json: `);
});

test("one that builds in another engine is noticed", async () => {
  const { error } = await failure("exit 0");
  expect(error.message).toContain("in another Docker Engine");
});

test("an interruption ends it, with all that it has started", async () => {
  await using made = await configFolder({});
  const pidFile = join(made.folder, "pid");
  const stop = new AbortController();
  const failing = failure(
    `sleep 300 & echo $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; wait`,
    stop.signal,
  );
  const pid = await waitFor("it to be at work", () =>
    readFile(pidFile, "utf8").catch(() => undefined),
  );
  stop.abort();
  expect((await failing).error.code).toBe("interrupted");
  await waitFor("its child to end", () => !exists(Number(pid)));
});

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("a change in its folder, its base image, its owner or a variable that it names is a change of the image; another is not", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as devcontainer.json writes it.
  const variable = "${localEnv:NAMED}";
  const build = { dockerfile: "D", context: "../beside" };
  const text = JSON.stringify({ build, containerEnv: { A: variable } });
  await using made = await configFolder({
    "agent/devcontainer.json": text,
    "agent/D": "FROM base\n",
    "beside/file": "1",
  });
  const folder = join(made.folder, "agent");
  const hash = async (over: { uid?: number; host?: Record<string, string>; base?: string } = {}) =>
    await (
      await devcontainerInputs(
        await readDevcontainer(folder),
        { folder, owner: { uid: over.uid ?? 1, gid: 1 }, host: over.host ?? {} },
        async () => over.base ?? "sha256:1",
      )
    )?.byContent();
  const before = await hash();
  expect(await hash({ host: { OTHER: "x" } })).toBe(before);
  const others = [
    await hash({ uid: 2 }),
    await hash({ host: { NAMED: "x" } }),
    await hash({ base: "sha256:2" }),
  ];
  await writeFile(join(made.folder, "beside/file"), "2");
  others.push(await hash());
  await writeFile(join(folder, "D"), "FROM base\nRUN true\n");
  others.push(await hash());
  expect(new Set([before, ...others]).size).toBe(6);
});
