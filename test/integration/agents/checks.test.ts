// The agents that look at a commit beside each other: tests, licences, secrets.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../../lib/model/artefact.ts";
import {
  commitOnTop,
  type ReleaseScene,
  releaseScene,
} from "../../support/agents/release-scene.ts";
import { git, runAgent } from "../../support/agents/run-agent.ts";
import { nightly } from "../../support/nightly.ts";

setDefaultTimeout(300_000);

let scene: ReleaseScene;
beforeAll(async () => {
  scene = await releaseScene();
});
afterAll(async () => await scene[Symbol.asyncDispose]());

type Files = Record<string, string | null>;
const check = (agent: string, target: Artefact, settings = {}) =>
  scene.ask(agent, target, { phase: "parallel", chain: [scene.goal], settings });
const checkWith = async (agent: string, files: Files, settings = {}) =>
  check(agent, await commitOnTop(scene, files), settings);

describe("the tester", () => {
  const testing = async (command: string, files: Files = {}) => {
    const { structural_type, type, payload, metadata } = await checkWith("tester", files, {
      TEST_COMMAND: command,
    });
    return { structural_type, type, summary: metadata.summary, report: JSON.parse(payload) };
  };

  test("reports the outcome and what the tests said, on both outputs", async () => {
    const { structural_type, type, summary, report } = await testing("./test.sh; echo done >&2");
    expect([structural_type, type, summary]).toEqual([
      "Standard",
      "TestReport",
      "`./test.sh; echo done >&2` passed",
    ]);
    expect([report.exit_code, report.output]).toEqual([
      0,
      "ok     ./door.sh open\nok     ./door.sh close\nok     ./bell.sh\ndone\n",
    ]);
  });

  test("ends the release when the tests fail, with the same report", async () => {
    const { structural_type, type, summary, report } = await testing("./test.sh", {
      "bell.sh": "#!/bin/sh\necho Dong.\n",
    });
    expect([structural_type, type, summary]).toEqual([
      "Failure",
      "TestsFailed",
      "`./test.sh` failed with exit code 1",
    ]);
    expect(report.output).toContain("FAILED ./bell.sh: expected Ding dong.");
  });

  nightly("says so when the command itself is missing", async () => {
    expect(await testing("no-such-command")).toMatchObject({
      type: "TestsFailed",
      report: { exit_code: 127 },
    });
  });

  nightly(
    "gives the tests no input, and keeps the end of what they say, whatever its bytes",
    async () => {
      const { report } = await testing("cat; seq 1 100000; printf 'caf\\351'");
      expect(report.output.length).toBeLessThanOrEqual(65_536);
      expect(report.output).toEndWith("100000\ncaf\ufffd");
    },
  );

  nightly.each([
    ["npm test", { "package.json": '{"scripts":{"test":"tap"}}' }],
    [
      "make test",
      { "package.json": '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
    ],
    ["./test.sh", { "package.json": null, Makefile: "all:\n" }],
  ])(
    "runs %s where no setting says what to run, and the repository has it",
    async (command, files) => {
      const bin = join(scene.folder, "bin");
      await mkdir(bin, { recursive: true });
      for (const name of ["npm", "make"])
        await writeFile(join(bin, name), `#!/bin/sh\necho ${name} "$@"\n`, { mode: 0o755 });
      const settings = { PATH: `${bin}:${process.env.PATH}` };
      const answer = await checkWith(
        "tester",
        { Makefile: "test:\n", "test.sh": "#!/bin/sh\necho ./test.sh\n", ...files },
        settings,
      );
      expect(JSON.parse(answer.payload)).toMatchObject({
        command,
        exit_code: 0,
        output: `${command}\n`,
      });
    },
  );

  nightly(
    "tests nothing where no setting or file says how, and fails with a sentence",
    async () => {
      await expect(testing("", { "package.json": null, "test.sh": null })).rejects.toThrow(
        "tester: no test command is known",
      );
    },
  );

  nightly("works on the commit that it was given, not on whatever is checked out", async () => {
    const target = await commitOnTop(scene, { "bell.sh": "#!/bin/sh\necho Dong.\n" });
    const elsewhere = { ...target, metadata: { ...target.metadata, commit: undefined } };
    expect((await check("tester", elsewhere, { TEST_COMMAND: "./test.sh" })).type).toBe(
      "TestsFailed",
    );
  });
});

describe("the licence agent", () => {
  const looking = async (files: Files) => {
    const { structural_type, type, payload } = await checkWith("licences", files);
    return { structural_type, type, report: JSON.parse(payload) };
  };

  test("ends the release when there is no licence file", async () => {
    const { structural_type, type, report } = await looking({ LICENSE: null });
    expect([structural_type, type, report.file, report.declared]).toEqual([
      "Failure",
      "LicenceMissing",
      "",
      "MIT",
    ]);
  });

  nightly.each([
    [
      "COPYING",
      "GNU GENERAL PUBLIC LICENSE\n                       Version 3, 29 June 2007\n",
      "GPL-3.0",
    ],
    ["LICENSE.md", "Apache License\n   Version 2.0, January 2004\n", "Apache-2.0"],
    ["licence.txt", "Do as you please.\n", "unknown"],
  ])("knows %s by its words", async (file, text, licence) => {
    expect((await looking({ LICENSE: null, [file]: text })).report).toMatchObject({
      file,
      licence,
    });
  });

  test("lists what lock files and committed packages say, and does not guess", async () => {
    const { report } = await looking({
      "vendor/chain/LICENSE": "Permission to use, copy, modify, and/or distribute this software",
      "node_modules/@sett/key/package.json":
        '{"name":"@sett/key","version":"3.0.0","licenses":[{"type":"MIT"},{"type":"ISC"}]}',
      "node_modules/broken/package.json": "{",
    });
    expect(report.dependencies).toEqual([
      { name: "@sett/key", version: "3.0.0", licence: "MIT OR ISC" },
      { name: "chain", version: "-", licence: "ISC" },
      { name: "handle", version: "1.1.0", licence: "ISC" },
      { name: "hinge", version: "2.0.1", licence: "MIT" },
      { name: "oil", version: "0.3.0", licence: "unknown" },
    ]);
  });
});

describe("the secrets agent", () => {
  // Put together here, or they would be found in this file.
  const secrets: Record<string, string> = {
    "private key": `-----BEGIN ${"OPENSSH PRIVATE"} KEY-----`,
    "AWS access key": `AKIA${"Q3EGRIRRCMU5QZ7A"}`,
    "GitHub token": `ghp_${"x7".repeat(18)}`,
    "GitLab token": `glpat-${"x7".repeat(10)}`,
    "Slack token": `xoxb-${"123456789012"}-${"x7".repeat(6)}`,
    "Google API key": `AIza${"x7_-q".repeat(7)}`,
    "Stripe key": `sk_live_${"x7".repeat(8)}`,
    "npm token": `npm_${"x7".repeat(18)}`,
    "model provider key": `sk-ant-${"x7".repeat(10)}`,
  };
  const searching = async (target: Artefact, settings = {}) => {
    const { structural_type, type, payload } = await check("secrets", target, settings);
    for (const secret of Object.values(secrets)) expect(payload).not.toContain(secret);
    return { structural_type, type, report: JSON.parse(payload) };
  };

  test("finds each kind, says where, and never what", async () => {
    const text = Object.values(secrets).map((secret) => `key = "${secret}"\n`);
    const target = await commitOnTop(scene, { "a folder/réglages: x.ini": text.join("") });
    const { structural_type, type, report } = await searching(target);
    expect([structural_type, type]).toEqual(["Failure", "SecretsFound"]);
    expect(report.found).toEqual(
      Object.keys(secrets).map((kind, index) => ({
        kind,
        commit: target.payload,
        file: expect.any(String),
        line: index + 1,
      })),
    );
  });

  test("finds what a later commit took out again, and what a message gives away", async () => {
    const head = await git(scene.sample, "rev-parse", "HEAD");
    await commitOnTop(scene, { "a.txt": `1\n2\n${secrets["GitHub token"]}\n` });
    const leak = await git(scene.sample, "rev-parse", "HEAD@{1}");
    await git(scene.sample, "reset", "-q", "--hard", leak);
    await git(
      scene.sample,
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      `Try\n\n${secrets["npm token"]}`,
    );
    const withToken = await git(scene.sample, "rev-parse", "HEAD");
    const target = await commitOnTop(scene, { "a.txt": null });
    await git(scene.sample, "reset", "-q", "--hard", head);
    expect((await searching(target)).report.found).toEqual([
      { kind: "GitHub token", commit: leak, file: "a.txt", line: 3 },
      { kind: "npm token", commit: withToken, file: "commit message", line: 3 },
    ]);
  });

  nightly(
    "begins at the tag before the commit, which may be tagged itself, where git is asked for it",
    async () => {
      const target = await commitOnTop(scene, {});
      await git(scene.sample, "tag", "v9.0.0", target.payload);
      const work = { target_artefact: target, context_chain: [{ ...scene.goal, metadata: {} }] };
      const { stdout } = await runAgent("secrets", work, scene.sample);
      await git(scene.sample, "tag", "--delete", "v9.0.0");
      const expected = await git(scene.sample, "rev-list", "--count", `v1.1.0..${target.payload}`);
      expect(String(JSON.parse(stdout).artefact_payload.commits_searched)).toBe(expected);
    },
  );

  nightly(
    "is not misled by what only looks like one, and leaves out the files that its settings name",
    async () => {
      const harmless = `AKIA\nghp_short\n${secrets["AWS access key"]}EXAMPLE\n-----BEGIN PUBLIC KEY-----\n`;
      const target = await commitOnTop(scene, {
        "a.txt": harmless,
        "test/keys/b": `${secrets["private key"]}\n`,
        "c d": "x\n",
      });
      const { type, report } = await searching(target, { SECRETS_EXCLUDE: "test/keys *.nothing" });
      expect([type, report.found]).toEqual(["SecretsReport", []]);
      expect((await searching(target)).report.found).toHaveLength(1);
    },
  );
});
