// Agents that are built from the same folder have one image, with a real engine.
import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Progress } from "../../../apps/cli/terminal/progress.ts";
import { prepareImages } from "../../../apps/cli/up/images/images.ts";
import { parseConfig } from "../../../lib/config/parse-config.ts";
import { fakeShell } from "../../support/cli/fake-shell.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { docker, tinyImage } from "../../support/docker/tiny-image.ts";

test("two agents with one folder are built once, and a third with other arguments apart", async () => {
  await using sett = await dockerInstance();
  const { runtime, instance } = sett;
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sett-images-"));
  stack.defer(() => rm(folder, { recursive: true }));
  // A file that differs in each run, so that no earlier build is found.
  await writeFile(join(folder, "name"), instance);
  await writeFile(join(folder, "Dockerfile"), `FROM ${tinyImage}\nARG more\nCOPY name /name\n`);
  await docker("tag", tinyImage, `sett/cub:${instance}`);
  stack.defer(async () => void (await docker("image", "rm", `sett/cub:${instance}`)));
  const text = `version: '1.0'
agents:
  coder: { build: ${folder}, command: [run] }
  tester: { build: ${folder}, command: [test] }
  other: { build: { context: ${folder}, args: { more: "1" } }, command: [test] }
services: { orchestrator: { image: "${tinyImage}" }, redis: { image: "${tinyImage}" } }
`;
  const { config, mistakes } = parseConfig({ text, file: "sett.yml", folder, host: {} });
  if (config === undefined) throw new Error(JSON.stringify(mistakes));
  using progress = new Progress(fakeShell().err);
  const built: string[] = [];
  stack.defer(async () => void (await docker("image", "rm", ...built)));
  const { agents } = await prepareImages({
    ...{ runtime, instance, version: instance, config, isRebuild: false, progress, built },
    ...{ signal: new AbortController().signal, id: "aa.1", owner: { uid: 1, gid: 1 }, env: {} },
    remember: { begin: async () => {}, end: async () => {} },
  });
  const [coder, tester, other] = [...agents.values()];
  expect(tester).toEqual(coder);
  expect(other?.tag).not.toBe(coder?.tag);
  expect(built).toHaveLength(2);
}, 120_000);
