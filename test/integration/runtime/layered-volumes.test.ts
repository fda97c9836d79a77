// Volumes that lie over another one, on a real Engine.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { CommitHash } from "../../../lib/model/ids.ts";
import { layeredWorkspaceName, layerVolumeName } from "../../../lib/runtime/names.ts";
import type { LayeredVolumes } from "../../../lib/runtime/port.ts";
import { type DockerInstance, dockerInstance } from "../../support/docker/docker-instance.ts";
import { docker, tinyImage } from "../../support/docker/tiny-image.ts";
import { errorOf } from "../../support/error-of.ts";
import { agentName } from "../../support/records/sample.ts";

setDefaultTimeout(600_000);

const agent = agentName("coder");
const owner = { uid: 10001, gid: 10001 };
let at: DockerInstance;
let layers: LayeredVolumes;
let lower: string;

const volume = (name: string, target: string, access: "ro" | "rw") => ({
  ...{ kind: "volume" as const, volume: name, target, access },
});

/** Runs as an agent does; returns what it prints. */
async function run(script: string, ...mounts: ReturnType<typeof volume>[]): Promise<string> {
  const { id } = await at.run(`${script} 2>&1`, { user: owner, mounts });
  await at.runtime.workers.wait(id);
  const lines: string[] = [];
  for await (const { line } of at.runtime.observe.logs(id)) lines.push(line);
  await at.runtime.apply.remove(id);
  return lines.join("\n");
}

async function workspace(): Promise<{ workspace: string; upper: string }> {
  const own = layeredWorkspaceName(at.instance, agent, randomBytes(4).toString("hex"));
  const labels = at.labels({ component: "workspace", agent });
  await layers.makeUpper({ name: own.upper, labels, owner, image: tinyImage });
  await layers.lay(
    { name: own.workspace, labels },
    { lowers: [lower], folder: "tree", upper: own.upper },
  );
  return own;
}

beforeAll(async () => {
  at = await dockerInstance();
  const found = at.runtime.workers.layers;
  if (found === undefined) throw new Error("Docker has layers.");
  layers = found;
  lower = layerVolumeName(at.instance, CommitHash.parse("a".repeat(40)), "0011");
  const labels = at.labels({ component: "layer" });
  await at.runtime.apply.makeVolume({ name: lower, labels, owner, image: tinyImage });
  const fill = "mkdir -p /l/tree/folder && cd /l/tree && echo one > file && echo two > folder/file";
  expect(await run(fill, volume(lower, "/l", "rw"))).toBe("");
});

afterAll(() => at?.[Symbol.asyncDispose]());

test("a volume over another shows its files, and what is written, removed or renamed in it changes nothing below", async () => {
  const [one, other] = [await workspace(), await workspace()];
  const change =
    "cd /w && cat file folder/file && echo new > file && rm folder/file && mv folder moved && mkdir folder && ls -R";
  expect(await run(change, volume(one.workspace, "/w", "rw"))).toBe(
    "one\ntwo\n.:\nfile\nfolder\nmoved\n\n./folder:\n\n./moved:",
  );
  const look = "cd /w && cat file folder/file && ls && stat -c '%u:%g %a' .";
  expect(await run(look, volume(other.workspace, "/w", "rw"))).toBe(
    "one\ntwo\nfile\nfolder\n10001:10001 755",
  );
  expect(await run("cat /l/tree/file", volume(lower, "/l", "ro"))).toBe("one");
});

test("it goes with all that was written, also with what only root may remove; a layer in use stays", async () => {
  const own = await workspace();
  const { id } = await at.run("sleep 600", {
    user: owner,
    mounts: [volume(own.workspace, "/w", "rw"), volume(lower, "/l", "ro")],
  });
  for (const used of [own.workspace, lower])
    expect(await errorOf(layers.remove(used))).toMatchObject({ code: "docker-failed" });
  await at.runtime.apply.remove(id);
  await layers.remove(own.workspace);
  await layers.remove(own.upper);
  await layers.remove(own.upper);
  const { volumes } = await at.runtime.observe.parts(at.instance);
  expect(volumes.map(({ name }) => name)).not.toContain(own.upper);
  expect(volumes.find(({ name }) => name === lower)?.labels.component).toBe("layer");
});

test("the mount takes neither devices nor set-user-ID programs", async () => {
  const own = await workspace();
  const mount = await run("grep ' /w ' /proc/self/mountinfo", volume(own.workspace, "/w", "rw"));
  expect(mount).toContain("- overlay overlay ");
  expect(mount).toContain("nosuid,nodev");
  const { stdout } = { stdout: await docker("volume", "inspect", own.workspace) };
  expect(JSON.stringify(stdout)).toContain("lowerdir=");
});
