// Shows what is handed out, as a newcomer gets it: packages that npm installs without a network,
// and a Docker Engine without a single image.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import packageJson from "../../package.json" with { type: "json" };
import { countsLines } from "../support/cli/sett-in-process.ts";
import {
  canStartEngine,
  type FreshEngine,
  startFreshEngine,
} from "../support/docker/fresh-engine.ts";
import { root } from "../support/root.ts";

const release = join(root, "bin/release");
const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
const { version } = packageJson;

let base: string;
let installed: string;
let garden: string;
/** Undefined where none can be started: then the images that are here are used. */
let engine: FreshEngine | undefined;

/** No line of it is counted, for it runs in programs of its own. */
const handedOut = test.skipIf(countsLines);

beforeAll(async () => {
  if (countsLines) return;
  base = await mkdtemp(join(tmpdir(), "sett-package-"));
  installed = join(base, "installed");
  // It gives the instance its name, which no other may have.
  garden = join(base, `garden-${crypto.randomUUID().slice(0, 8)}`);
  engine = canStartEngine ? await startFreshEngine() : undefined;
  for (const folder of [installed, garden]) await mkdir(folder);
  await $`git init --quiet && git config user.name ${"Ada Lovelace"} && git config user.email ada@sett.invalid`.cwd(
    garden,
  );
}, 300_000);

afterAll(async () => {
  if (countsLines) return;
  await sett("down", "--volumes", "--timeout", "1s").catch(() => undefined);
  await engine?.[Symbol.asyncDispose]();
  await rm(base, { recursive: true, force: true });
}, 300_000);

async function run(command: string[], cwd: string) {
  const host = engine?.host ?? process.env.DOCKER_HOST;
  const child = Bun.spawn([...(engine?.within() ?? []), ...command], {
    cwd,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: base,
      XDG_STATE_HOME: join(base, "state"),
      npm_config_cache: join(base, "cache"),
      npm_config_update_notifier: "false",
      ...(host === undefined ? {} : { DOCKER_HOST: host }),
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}

async function need(command: string[], cwd: string): Promise<{ out: string; err: string }> {
  const { code, out, err } = await run(command, cwd);
  if (code !== 0)
    throw new Error(`${command.join(" ")} ended with exit code ${code}:\n${err}${out}`);
  return { out, err };
}

const sett = (...words: string[]) =>
  need([join(installed, "node_modules/.bin/sett"), ...words], garden);

handedOut(
  "the release has the one program and its packages, with their sums and what is inside",
  async () => {
    const files = [`sett-${platform}`, `sett-${platform}-${version}.tgz`, `sett-${version}.tgz`];
    expect((await readdir(release)).sort()).toEqual(
      expect.arrayContaining([...files, "SHA256SUMS", "sett.cdx.json"]),
    );
    await need(["sha256sum", "--check", "--quiet", "SHA256SUMS"], release);
    // What was packed quickly, for this machine alone, has no verifier.
    const there = await readdir(release);
    if (!there.includes("sett-linux-arm64") || !there.includes("sett-linux-amd64")) return;
    for (const other of ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"])
      expect(there).toContain(`sett-verify-${other}`);
    expect((await need([join(release, `sett-verify-${platform}`), "--help"], base)).out).toContain(
      "Usage: sett-verify",
    );
  },
);

handedOut(
  "npm installs it from the packages alone, and npx starts it",
  async () => {
    const packages = [`sett-${version}.tgz`, `sett-${platform}-${version}.tgz`];
    for (const name of packages) await copyFile(join(release, name), join(installed, name));
    await Bun.write(join(installed, "package.json"), "{}");
    await need(
      [
        "npm",
        "install",
        "--offline",
        "--no-audit",
        "--no-fund",
        ...packages.map((name) => `./${name}`),
      ],
      installed,
    );
    expect((await need(["npx", "--offline", "sett", "--version"], installed)).out).toBe(
      `${version}\n`,
    );
    const wrong = await run([join(installed, "node_modules/.bin/sett"), "nonsense"], installed);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
  },
  600_000,
);

handedOut(
  "one command starts a first sett in an empty repository, with the images that it brings along",
  async () => {
    const { out, err } = await sett("up", "--yes");
    expect(out).toBe(`${garden.split("/").at(-1)} is up: redis, orchestrator, example-agent\n`);
    if (engine !== undefined) expect(err).toMatch(/^Sett's images: imported$/m);
    const goal = await sett("forage", "--goal", "hello", "--watch");
    expect(goal.err + goal.out).toContain("EchoSuccess");
    expect((await sett("up")).err).not.toContain("importing");
    await sett("down", "--volumes");
  },
  600_000,
);

handedOut(
  "without containers, the same program is the orchestrator and the cub",
  async () => {
    const { out } = await sett("up", "--runtime", "process");
    expect(out).toContain("is up: redis, orchestrator, example-agent");
    await sett("forage", "--goal", "hello", "--watch");
    const [state = ""] = (await readdir(join(base, "state"), { recursive: true })).filter((path) =>
      /orchestrator.*spec\.json$/.test(path),
    );
    expect(await readFile(join(base, "state", state), "utf8")).toContain(
      '"service","orchestrator"',
    );
    await sett("down", "--volumes");
  },
  600_000,
);
