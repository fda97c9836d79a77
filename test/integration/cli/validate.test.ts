import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { runSett } from "../../support/cli/sett-process.ts";
import { commitFiles, sampleRepository } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";

let folder: string;
const sett = (...words: string[]) => runSett(words, { cwd: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-validate-"));
  await sett("init");
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("sett validate", () => {
  test("finds the file from a folder below", async () => {
    const below = join(folder, "deep/below");
    await mkdir(below, { recursive: true });
    const { code, out } = await runSett(["validate"], { cwd: below });
    expect(code).toBe(0);
    expect(out).toContain("../../sett.yml is valid");
  });

  test("names all mistakes with their lines and paths, and exits with 2", async () => {
    await writeFile(
      join(folder, "wrong.yml"),
      "version: '1.0'\nagents:\n  coder:\n    image: coder\n    comand: [x]\n    replicas: 0\n",
    );
    const { code, out, err } = await sett("validate", "-f", "wrong.yml");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/wrong\.yml:5:\d+ agents\.coder\.comand/);
    expect(err).toMatch(/wrong\.yml:6:\d+ agents\.coder\.replicas/);
  });

  test("warns of names that a cluster finds too long, where images are pushed", async () => {
    const agent =
      "{ image: x, command: [x], strategy: fresh_per_call, bids: [{ on: GoalDefined, bid: exclusive }] }";
    await writeFile(
      join(folder, "long.yml"),
      `version: '1.0'\nimages: { push: registry.example.org/team }\nagents:\n  the-one-who-writes: ${agent}\n`,
    );
    const long = await sett("validate", "-f", "long.yml", "--name", "an-instance-of-all-of-us");
    expect(long.code).toBe(0);
    expect(long.err).toContain("and a cluster takes 63 at most");
    const short = await sett("validate", "-f", "long.yml", "--name", "one");
    expect(short.err).not.toContain("takes 63");
    const wrong = await sett("validate", "-f", "long.yml", "--name", "No Name");
    expect(wrong.code).toBe(2);
  });

  test("warns of a base image that its registry may replace", async () => {
    await mkdir(join(folder, "based"), { recursive: true });
    await writeFile(
      join(folder, "based/Dockerfile"),
      "FROM debian:bookworm-slim AS base\nFROM base\n",
    );
    await writeFile(
      join(folder, "based.yml"),
      "version: '1.0'\nagents:\n  coder:\n    build: ./based\n    command: [x]\n    bids: [{ on: GoalDefined, bid: exclusive }]\n",
    );
    const { code, err } = await sett("validate", "-f", "based.yml");
    expect(code).toBe(0);
    expect(err).toContain(
      "agents.coder.build.dockerfile: uses `debian:bookworm-slim`, which its registry may replace at any time: `debian:bookworm-slim@sha256:…` names one image for good",
    );
    const first = await sett("validate");
    expect(first.err).not.toContain("which its registry may replace");
  });

  test("warns of each image that the file names and a registry may replace", async () => {
    await mkdir(join(folder, "dev"), { recursive: true });
    await writeFile(join(folder, "dev/devcontainer.json"), '{ "image": "debian:12" }');
    const pinned = `coder@sha256:${"a".repeat(64)}`;
    const sources = [
      ["tagged", "image: coder:1"],
      ["pinned", `image: ${pinned}`],
      ["own", "image: sett/agent-base:latest"],
      ["dev", "path: ./dev"],
      ["built", "build: { context: ./based, args: { BASE: debian:13 } }"],
    ];
    await mkdir(join(folder, "based"), { recursive: true });
    await writeFile(join(folder, "based/Dockerfile"), `ARG BASE=${pinned}\nFROM $BASE\n`);
    const agents = sources.map(
      ([name, source]) =>
        `  ${name}: { ${source}, command: [x], bids: [{ on: GoalDefined, bid: exclusive }] }\n`,
    );
    const services = "{ redis: { image: redis:7 }, orchestrator: { image: orchestrator:1 } }";
    await writeFile(
      join(folder, "images.yml"),
      `version: '1.0'\nservices: ${services}\nagents:\n${agents.join("")}`,
    );
    const { out } = await sett("validate", "-f", "images.yml", "--json");
    const found = JSON.parse(out).warnings as { path: string; sentence: string }[];
    expect(found.map(({ path, sentence }) => `${path} ${sentence.split(",")[0]}`)).toEqual([
      "services.redis.image uses `redis:7`",
      "services.orchestrator.image uses `orchestrator:1`",
      "agents.tagged.image uses `coder:1`",
      "agents.dev.path uses `debian:12`",
      "agents.built.build.dockerfile uses `debian:13`",
    ]);
  });

  test("warns of a key that lacks what its command needs, or names nothing, by the files of HEAD", async () => {
    using host = sampleRepository();
    commitFiles(host.path, { "web/package.json": "", "web/yarn.lock": "", "install.sh": "" });
    const keys: [run: string, key: string[]][] = [
      ["npm ci", ["package-lock.json"]],
      ["cd web && yarn", ["web/package.json"]],
      ["cd web && yarn", ["web"]],
      ["npm install", ["package.json"]],
      ["./install.sh", ["src"]],
      ["./install.sh", ["install.sh"]],
      ["true", ["src"]],
    ];
    const network = { egress: ["registry.example.org"] };
    const agents = keys.map(
      ([run, key], at) =>
        `  coder-${at}:\n    image: sett/agent-base\n    command: [x]\n    bids: [{ on: GoalDefined, bid: exclusive }]\n    strategy: fresh_per_call\n    workspace: { prepare: ${JSON.stringify({ run, key, network })} }\n`,
    );
    await writeFile(join(host.path, "sett.yml"), `version: '1.0'\nagents:\n${agents.join("")}`);
    const { code, out } = await runSett(["validate", "--json"], { cwd: host.path });
    expect(code).toBe(0);
    const found = JSON.parse(out).warnings as { path: string; sentence: string }[];
    expect(found.map(({ path, sentence }) => `${path} ${sentence}`)).toEqual([
      "agents.coder-0.workspace.prepare.key lacks `package.json`, which `npm ci` needs: only what it names is there",
      "agents.coder-0.workspace.prepare.key[0] names no file of HEAD",
      "agents.coder-1.workspace.prepare.key lacks `yarn.lock`, by which `yarn` goes: only what it names is there",
      "agents.coder-3.workspace.prepare.key[0] names no file of HEAD: do you mean `web/package.json`?",
      "agents.coder-4.workspace.prepare.key lacks `install.sh`, by which `./install.sh` goes: only what it names is there",
    ]);
  });

  nightly("warns of a part of the repository in which HEAD has no file", async () => {
    using host = sampleRepository();
    const more = { "services/Door/key": "", "a b/ü": "" };
    commitFiles(host.path, more);
    const paths = [
      "services/Door/",
      "Door",
      "services/door/",
      "*.nix",
      "*.ts",
      "a b/ü",
      "src",
      "x/",
    ];
    const text = `version: '1.0'\nagents:\n  coder:\n    image: sett/agent-base\n    command: [x]\n    bids: [{ on: GoalDefined, bid: exclusive }]\n    workspace: { paths: ${JSON.stringify(paths)} }\n`;
    await writeFile(join(host.path, "sett.yml"), text);
    const { code, out } = await runSett(["validate", "--json"], { cwd: host.path });
    expect(code).toBe(0);
    const found = JSON.parse(out).warnings as { path: string; sentence: string }[];
    expect(found.map(({ path, sentence }) => `${path.slice(-2)} ${sentence}`)).toEqual([
      "1] names no file of HEAD: do you mean `services/Door/`?",
      "2] names no file of HEAD: do you mean `services/Door/`?",
      "3] names no file of HEAD",
      "6] is a folder: as `src/` it brings the files directly in the folders above it, too",
      "7] names no file of HEAD",
    ]);
    await writeFile(join(folder, "part.yml"), text);
    const outside = await sett("validate", "-f", "part.yml", "--json");
    expect(JSON.parse(outside.out)).toMatchObject({ valid: true, warnings: [] });
  });

  nightly("warns of a disk that is too small for the files of HEAD", async () => {
    using host = sampleRepository();
    commitFiles(host.path, { "vault/large.bin": "x".repeat(9 * 1024 ** 2) });
    const agent = (disk: string, more = "{}") =>
      `{ image: sett/agent-base, command: [x], bids: [{ on: GoalDefined, bid: exclusive }], workspace: ${more}, resources: { limits: { disk: ${disk} } } }`;
    const part = '{ paths: ["src/"] }';
    const text = `version: '1.0'\nagents:\n  coder: ${agent("6m")}\n  part: ${agent("6m", part)}\n  large: ${agent("1g")}\n`;
    await writeFile(join(host.path, "sett.yml"), text);
    const { code, out } = await runSett(["validate", "--json"], { cwd: host.path });
    expect(code).toBe(0);
    const found = JSON.parse(out).warnings as { path: string; sentence: string; line: number }[];
    expect(found.map(({ path, sentence, line }) => `${line} ${path} ${sentence}`)).toEqual([
      "3 agents.coder.resources.limits.disk is 6 MiB, and the files of HEAD take 9 MiB: in a container the agent cannot begin with them",
    ]);
  });

  test("gives the same as JSON, for programs", async () => {
    const wrong = await sett("validate", "-f", "wrong.yml", "--json");
    expect(wrong.code).toBe(2);
    const { valid, mistakes } = JSON.parse(wrong.out);
    expect(valid).toBe(false);
    expect(mistakes).toContainEqual(
      expect.objectContaining({ line: 5, path: "agents.coder.comand" }),
    );
    const right = await sett("validate", "--json");
    expect(right.code).toBe(0);
    expect(JSON.parse(right.out)).toMatchObject({ valid: true, mistakes: [], warnings: [] });
  });

  test("says what it warns of and is content", async () => {
    const file = join(folder, "warned.yml");
    await writeFile(
      file,
      "version: '1.0'\nagents:\n  coder:\n    image: sett/agent-base\n    command: [x]\n    environment: [NOT_SET_ANYWHERE]\n",
    );
    const { code, err } = await sett("validate", "--file", "warned.yml");
    expect(code).toBe(0);
    expect(err).toContain("NOT_SET_ANYWHERE");
  });

  test("variables that only `up` needs are no mistakes: what holds no secrets can check, and `up` refuses", async () => {
    const text = `version: '1.0'
agents:
  coder:
    image: sett/agent-base
    command: [x]
    environment: { TOKEN: '\${NOT_SET_A}' }
notify:
  - url: https://example.org/hook
    secret: \${NOT_SET_B}
`;
    await writeFile(join(folder, "secrets.yml"), text);
    const { code, err, out } = await sett("validate", "--file", "secrets.yml");
    expect({ code, out }).toEqual({ code: 0, out: "secrets.yml is valid: 1 agent (coder).\n" });
    expect(err).toContain(
      "secrets.yml:6:27 agents.coder.environment.TOKEN: needs the variable `NOT_SET_A`",
    );
    expect(err).toContain("secrets.yml:9:13 notify[0].secret: needs the variable `NOT_SET_B`");
    const { valid, warnings } = JSON.parse(
      (await sett("validate", "--file", "secrets.yml", "--json")).out,
    );
    expect({ valid, count: warnings.length }).toEqual({ valid: true, count: 2 });
    const up = await sett("up", "--file", "secrets.yml");
    expect(up.code).toBe(2);
    expect(up.err).toContain("secrets.yml needs what is not set here:");
  });

  test("says that an orchestrator of another version does not fit, and nothing of this one's", async () => {
    const { version } = packageJson;
    const text = (tag: string) =>
      `version: '1.0'\nagents:\n  coder:\n    image: sett/agent-base\n    command: [x]\nservices:\n  orchestrator: { image: "sett/orchestrator:${tag}" }\n`;
    await writeFile(join(folder, "other.yml"), text("v99.1.0"));
    const { code, err } = await sett("validate", "--file", "other.yml");
    expect(code).toBe(0);
    expect(err).toContain(
      `other.yml:7:26 services.orchestrator.image: is of Sett 99.1.0, but this is sett ${version}`,
    );
    await writeFile(join(folder, "other.yml"), text(`v${version}`));
    expect((await sett("validate", "--file", "other.yml")).err).toBe("");
  });

  test("of a file that was named and is not there it says where it was looked for, and speaks of no other", async () => {
    const { code, err } = await sett("validate", "--file", "nosuch.yml");
    expect(code).toBe(2);
    expect(err).toContain("There is no nosuch.yml.");
    expect(err).toContain(folder);
    expect(err).not.toContain("sett init");
  });

  test("says how to get a sett.yml where there is none", async () => {
    const empty = await mkdtemp(join(tmpdir(), "sett-init-"));
    const { code, err } = await runSett(["validate"], { cwd: empty });
    expect(code).toBe(2);
    expect(err).toContain("sett init");
    await rm(empty, { recursive: true });
  });
});
