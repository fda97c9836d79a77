// Wrong use that needs no container: a clear sentence with what to do, a non-zero exit code, and
// nothing half-made.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { settBinary } from "../../support/process/compiled.ts";

const sett =
  "version: '1.0'\nagents:\n  echo:\n    image: sett/agent-base:latest\n    command: [\"/bin/cat\"]\n";
let at: Workspace;
let bare: string;

beforeAll(async () => {
  [at, bare] = await Promise.all([Workspace.create(), mkdtemp(join(tmpdir(), "sett-no-git-"))]);
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await rm(bare, { recursive: true, force: true });
});

async function inRepository(
  yml: string | undefined,
  act: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sett-bad-"));
  await $`git init --quiet && git -c user.name=A -c user.email=a@b commit --quiet --allow-empty -m Begin`.cwd(
    folder,
  );
  if (yml !== undefined) await writeFile(join(folder, "sett.yml"), yml);
  await act(folder);
  expect(await readdir(join(folder, ".git"))).not.toContain("sett");
  await rm(folder, { recursive: true });
}

test("forage outside of a git repository says so and posts nothing", async () => {
  const before = await at.need("hoard", "--json");
  const { code, err } = await runSett(["forage", "--goal", "x"], { cwd: bare, env: at.env });
  expect(code).toBe(1);
  expect(err).toContain("is not in a git repository");
  expect(await at.need("hoard", "--json")).toBe(before);
});

test("forage refuses a goal whose bytes are not UTF-8, and takes the mark that is written in their place", async () => {
  const before = await at.need("hoard", "--json");
  const bytes = ["sh", "-c", `exec "${settBinary}" forage --goal "$(printf 'caf\\351')"`];
  const started = Bun.spawnSync(bytes, { cwd: at.folder, env: { ...process.env, ...at.env } });
  expect({ code: started.exitCode, err: started.stderr.toString() }).toEqual({
    code: 2,
    err: expect.stringContaining("The goal on the command line is not UTF-8 text."),
  });
  expect(await at.need("hoard", "--json")).toBe(before);
  expect(await at.sett("forage", "--goal", "What does \ufffd mean?")).toMatchObject({ code: 0 });
});

test("up without a sett.yml says how to get one", async () => {
  await inRepository(undefined, async (cwd) => {
    const { code, err } = await runSett(["up"], { cwd });
    expect(code).toBe(2);
    expect(err).toContain("sett init");
  });
});

test("up with mistakes in sett.yml names all of them with line and path, before it looks for Docker", async () => {
  const mistaken = `${sett}    comand: x\n    environment: ["TOKEN=\${NOT_THERE}"]\n    timeout: soon\n`;
  await inRepository(mistaken, async (cwd) => {
    const { code, err } = await runSett(["up"], {
      cwd,
      env: { DOCKER_HOST: "unix:///nowhere/docker.sock" },
    });
    expect(code).toBe(2);
    for (const text of ["sett.yml:6", "comand", "sett.yml:7", "NOT_THERE", "sett.yml:8", "timeout"])
      expect(err).toContain(text);
    expect(err).not.toContain("Docker");
  });
});

test("up names a variable of telemetry that the API would refuse, before anything starts", async () => {
  const api = "services: { api: { port: 8443, tokens: [{ name: ci, secret: ci, may: [read] }] } }";
  await inRepository(`${sett}secrets: { ci: { file: ./token } }\n${api}\n`, async (cwd) => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense",
      DOCKER_HOST: "unix:///nowhere/docker.sock",
    };
    const { code, err } = await runSett(["up"], { cwd, env });
    expect(code).toBe(2);
    expect(err).toContain(
      "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address such as http://collector:4318",
    );
    expect(err).toContain("unset OTEL_EXPORTER_OTLP_ENDPOINT");
  });
});

const noNames = ["-demo", "", "Demo", "de mo", "démo", "a".repeat(41)];

test.each(isNight ? noNames : noNames.slice(0, 2))("up refuses %j as a name", async (name) => {
  await inRepository(sett, async (cwd) => {
    const { code, err } = await runSett(["up", `--name=${name}`], { cwd });
    expect(code).toBe(2);
    expect(err).toContain("--name");
  });
});

const needEngine = ["up", "forage --goal x", "list", "status", "down", "watch"];

test.each(isNight ? needEngine : needEngine.slice(0, 2))(
  "`sett %s` says when Docker does not run, and what to try",
  async (words) => {
    await inRepository(sett, async (cwd) => {
      await $`git add -A && git -c user.name=A -c user.email=a@b commit --quiet -m Sett`.cwd(cwd);
      // One without Docker that runs on this machine would answer all the same.
      const env = { DOCKER_HOST: "unix:///nowhere/docker.sock", XDG_STATE_HOME: `${cwd}/state` };
      const { code, out, err } = await runSett(words.split(" "), { cwd, env });
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain("The Docker Engine does not answer");
      expect(err).toContain("dockerd");
      expect(await $`git for-each-ref refs/sett`.cwd(cwd).text()).toBe("");
    });
  },
);

nightly("a goal of 1 MB is posted byte for byte, one of 100 MB is refused at once", async () => {
  const goal = `Read this:\n${"ä 0123456789\n".repeat(70_000)}`;
  expect(Buffer.byteLength(goal)).toBeGreaterThan(900_000);
  const surroundings = { cwd: at.folder, env: at.env };
  const { code, out } = await runSett(["forage", "--goal", "-"], { ...surroundings, stdin: goal });
  expect(code).toBe(0);
  expect(await at.need("unearth", out.trim(), "--payload")).toBe(goal);
  const before = await at.git("for-each-ref", "refs/sett");
  const refused = await runSett(["forage", "--goal", "-"], {
    ...surroundings,
    stdin: new Uint8Array(100_000_000).fill(97),
  });
  expect({ code: refused.code, out: refused.out }).toEqual({ code: 2, out: "" });
  expect(refused.err).toContain("longer than 16 MiB");
  expect(refused.err).toContain("Commit the long text");
  expect(await at.git("for-each-ref", "refs/sett")).toBe(before);
});
