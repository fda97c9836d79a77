// The disks of agents over one checkout, made by `sett up`, or done without. A real Engine; a
// script is in the place of the cub that makes the checkout.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Progress } from "../../../apps/cli/terminal/progress.ts";
import { layWorkspaces } from "../../../apps/cli/up/apply/lay-workspaces.ts";
import { makeOwned } from "../../../apps/cli/up/apply/make-owned.ts";
import { UndoSteps } from "../../../apps/cli/up/apply/undo.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import {
  firstLayerName,
  upperVolumeName,
  workspaceVolumeName,
} from "../../../lib/runtime/names.ts";
import type { PlannedPart } from "../../../lib/runtime/part-plan.ts";
import { fakeShell } from "../../support/cli/fake-shell.ts";
import { type DockerInstance, dockerInstance } from "../../support/docker/docker-instance.ts";
import { buildLayerMaker } from "../../support/docker/layer-maker.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(300_000);

const user = { uid: 10001, gid: 10001 };
const commitOf = (digit: string) => CommitHash.parse(digit.repeat(40));

let at: DockerInstance;
let image: string;
let store: string;
beforeAll(async () => {
  at = await dockerInstance();
  image = await buildLayerMaker(at);
  store = await mkdtemp(join(tmpdir(), "sett-store-"));
  await writeFile(join(store, "pack"), "");
  await chmod(store, 0o755);
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await rm(store, { recursive: true });
});

/** An instance whose agents are to begin at the commit of this digit. */
async function laying(digit: string, isTerminal = false) {
  const here = await dockerInstance();
  const { instance, runtime } = here;
  const part = (name: string): PlannedPart => {
    const agent = agentName(name);
    const [layer, upper] = [firstLayerName(instance), upperVolumeName(instance, agent)];
    const workspace = workspaceVolumeName(instance, agent);
    const ofAgent = here.labels({ component: "workspace", agent });
    const volume = (of: string, target: string, access: "ro" | "rw") =>
      ({ kind: "volume", volume: of, target, access }) as const;
    return {
      program: [],
      volumes: [
        { name: workspace, labels: ofAgent, owner: user, image, over: { layer, upper } },
        { name: upper, labels: ofAgent },
        { name: layer, labels: here.labels({ component: "layer" }) },
      ],
      spec: {
        name: here.name(`agent-${name}`),
        image,
        labels: here.labels({ component: "agent", agent, role: name }),
        entrypoint: ["/bin/sleep", "600"],
        env: { SETT_OBJECTS_DIR: "/git/objects", SETT_DISK_LIMIT: "1000000000" },
        user,
        mounts: [
          volume(workspace, "/workspace", "rw"),
          volume(layer, "/git/layer", "ro"),
          volume(upper, "/git/layer-upper", "ro"),
          { kind: "bind", path: store, target: "/git/objects", access: "ro" },
        ],
        network: "none",
        capabilities: "none",
        restart: "no",
      },
    };
  };
  const shell = fakeShell();
  const undoSteps = new UndoSteps();
  const up = async (...names: string[]) => {
    const input = {
      ...{ runtime, instance, undoSteps, signal: shell.interrupted },
      progress: new Progress({ ...shell.err, isTerminal }),
      commit: async () => commitOf(digit),
    };
    const parts = names.map(part);
    await layWorkspaces(input, parts);
    await makeOwned(
      input,
      parts.flatMap(({ volumes }) => volumes),
    );
    for (const { spec } of parts) await runtime.apply.start(spec);
  };
  /** What the agent finds, and whether it may write. */
  const find = async (name: string) => {
    const look =
      "cat /workspace/file 2>/dev/null | head -c 8; echo new > /workspace/new && echo ok";
    const command = ["/bin/sh", "-c", look];
    return (await runtime.observe.exec(here.name(`agent-${name}`), command)).stdout.trim();
  };
  const volumes = async () =>
    (await runtime.observe.parts(instance)).volumes.map(({ name, isLaid }) => [
      name.slice(here.name("").length),
      isLaid === true,
    ]);
  return {
    here,
    up,
    find,
    volumes,
    undoSteps,
    shell,
    [Symbol.asyncDispose]: here[Symbol.asyncDispose],
  };
}

const disks = (isLaid: boolean) => [
  ["workspace-a", isLaid],
  ["workspace-a.upper", false],
  ["workspace-b", isLaid],
  ["workspace-b.upper", false],
  ["layer", false],
];

test("all lie over one checkout, one that comes later too, and what was made is taken back", async () => {
  await using one = await laying("a");
  await one.up("a");
  await one.up("b");
  expect(await one.volumes()).toEqual(disks(true));
  expect([await one.find("a"), await one.find("b")]).toEqual(Array(2).fill("aaaaaaaaok"));
  expect(one.shell.written.err.match(/was made once/g)).toHaveLength(1);
  for (const agent of ["a", "b"])
    await one.here.runtime.apply.remove(one.here.name(`agent-${agent}`));
  expect(await one.undoSteps.run()).toEqual([]);
  expect(await one.volumes()).toEqual([]);
});

test("a terminal shows how far the checkout is that all share", async () => {
  await using one = await laying("2", true);
  const up = one.up("a");
  await waitFor("the count of files", async () =>
    one.shell.written.err.includes("all agents share: 20 541 of 100 000 files"),
  );
  await writeFile(join(store, "go"), "");
  await up;
  expect(one.shell.written.err).toContain("was made once for all agents");
});

nightly.each([
  ["no checkout can be made", "0", "It ended with 3: no such commit"],
  ["the Engine cannot mount it", "1", "is not shared, each agent makes its own"],
])("where %s, each has a disk of its own", async (_, digit, said) => {
  await using one = await laying(digit);
  await one.up("a", "b");
  expect(await one.volumes()).toEqual(disks(false));
  expect([await one.find("a"), await one.find("b")]).toEqual(["ok", "ok"]);
  expect(one.shell.written.err).toContain(said);
});

nightly("one that was not finished when its maker was killed is made again", async () => {
  await using one = await laying("a");
  const name = firstLayerName(one.here.instance);
  const labels = one.here.labels({ component: "layer" });
  await one.here.runtime.apply.makeVolume({ name, labels, owner: user, image });
  await one.up("a", "b");
  expect([await one.find("a"), await one.find("b")]).toEqual(Array(2).fill("aaaaaaaaok"));
});
