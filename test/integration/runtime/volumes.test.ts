import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentName } from "../../../lib/model/ids.ts";
import { dockerSurvey } from "../../../lib/runtime/docker/survey.ts";
import { writeLabels } from "../../../lib/runtime/labels.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { docker, tinyImage } from "../../support/docker/tiny-image.ts";
import { denyNewFiles } from "../../support/git/access-list.ts";

const timeLimitMs = 600_000;
const agent = AgentName.parse("coder");

/** Builds an image from a Dockerfile alone. */
async function build(
  sett: Awaited<ReturnType<typeof dockerInstance>>,
  suffix: string,
  dockerfile: string,
): Promise<string> {
  const contextDir = await mkdtemp(join(tmpdir(), "sett-volume-"));
  const tag = sett.imageTag(suffix);
  try {
    await writeFile(join(contextDir, "Dockerfile"), dockerfile);
    await sett.runtime.engine.images.build(
      { contextDir, dockerfile: "Dockerfile", args: {}, tag, labels: {} },
      { onProgress: () => {} },
    );
  } finally {
    await rm(contextDir, { recursive: true, force: true });
  }
  return tag;
}

test(
  "a prepared workspace is writable by uid 10001 in an image that holds nothing but a busybox",
  async () => {
    await using sett = await dockerInstance();
    const scratch = await build(
      sett,
      "scratch",
      `FROM scratch\nCOPY --from=${tinyImage} /bin/busybox /busybox\n`,
    );
    const volume = sett.name("workspace-coder");
    await sett.runtime.apply.makeVolume({
      name: volume,
      labels: sett.labels({ component: "workspace", agent }),
      owner: { uid: 10001, gid: 10001 },
      image: scratch,
    });
    const confined = {
      image: scratch,
      entrypoint: [
        "/busybox",
        "sh",
        "-c",
        "/busybox touch /workspace/file && /busybox stat -c '%u:%g %a' /workspace /workspace/file",
      ],
      user: { uid: 10001, gid: 10001 },
      isRootReadOnly: true,
      mounts: [{ kind: "volume" as const, volume, target: "/workspace", access: "rw" as const }],
    };
    const { id } = await sett.run("", confined);
    expect(await sett.runtime.workers.wait(id)).toBe(0);
    const lines: string[] = [];
    for await (const { line } of sett.runtime.observe.logs(id)) lines.push(line);
    expect(lines).toEqual(["10001:10001 755", "10001:10001 644"]);

    const readOnly = await sett.run("", {
      ...confined,
      mounts: [{ kind: "volume", volume, target: "/workspace", access: "ro" }],
    });
    expect(await sett.runtime.workers.wait(readOnly.id)).not.toBe(0);
  },
  timeLimitMs,
);

test("preparing a volume again changes its owner and keeps its files, whatever the size of the ids", async () => {
  await using sett = await dockerInstance();
  const volume = sett.name("workspace-coder");
  const mounts = [{ kind: "volume" as const, volume, target: "/workspace", access: "rw" as const }];
  await sett.runtime.apply.makeVolume({
    name: volume,
    labels: sett.labels({ component: "workspace", agent }),
    owner: { uid: 10001, gid: 10002 },
    image: tinyImage,
  });
  const writer = await sett.run("echo kept > /workspace/file", {
    user: { uid: 10001, gid: 10002 },
    mounts,
  });
  expect(await sett.runtime.workers.wait(writer.id)).toBe(0);
  await sett.runtime.apply.makeVolume({
    name: volume,
    labels: sett.labels({ component: "workspace", agent }),
    owner: { uid: 3_000_000_000, gid: 2_097_152 },
    image: tinyImage,
  });
  const reader = await sett.run(
    "test $(stat -c %u:%g /workspace) = 3000000000:2097152 && test $(cat /workspace/file) = kept",
    {
      mounts,
    },
  );
  expect(await sett.runtime.workers.wait(reader.id)).toBe(0);
}, 600_000);

test.if(process.getuid?.() === 0)(
  "preparing a volume removes an access control list that denies new files",
  async () => {
    await using sett = await dockerInstance();
    const volume = sett.name("workspace-coder");
    await sett.runtime.apply.makeVolume({
      name: volume,
      labels: sett.labels({ component: "workspace", agent }),
    });
    const { stdout } = await docker("volume", "inspect", "--format", "{{.Mountpoint}}", volume);
    const folder = stdout.trim();
    // The Engine may be on another machine, and its disk without such lists.
    if (!existsSync(folder) || !denyNewFiles(folder)) return;
    await writeFile(join(folder, "before"), "");
    await sett.runtime.apply.makeVolume({
      name: volume,
      labels: sett.labels({ component: "workspace", agent }),
      owner: { uid: 10001, gid: 10001 },
      image: tinyImage,
    });
    await writeFile(join(folder, "after"), "");
    const modes = await Promise.all(
      ["before", "after"].map(async (name) => (await stat(join(folder, name))).mode & 0o777),
    );
    expect(modes.map((mode) => mode.toString(8))).toEqual(["0", "644"]);
  },
);

test(
  "the carrier is filled from its image without running anything, and is read-only where it is mounted",
  async () => {
    await using sett = await dockerInstance();
    const carrier = await build(
      sett,
      "carrier",
      `FROM scratch\nCOPY --from=${tinyImage} /bin/busybox /cub/busybox\n`,
    );
    const volume = sett.name("cub-0123456789ab");
    await sett.runtime.apply.makeVolume({
      name: volume,
      labels: sett.labels({ component: "carrier" }),
      content: { image: carrier, path: "/cub" },
    });
    expect((await sett.runtime.observe.parts(sett.instance)).containers).toEqual([]);
    const { id } = await sett.run("", {
      entrypoint: ["/cub/busybox", "sh", "-c", "! /cub/busybox touch /cub/other"],
      mounts: [{ kind: "volume", volume, target: "/cub", access: "ro" }],
    });
    expect(await sett.runtime.workers.wait(id)).toBe(0);
  },
  timeLimitMs,
);

test(
  "a workspace volume never takes what the agent's image holds at /workspace",
  async () => {
    await using sett = await dockerInstance();
    const image = await build(
      sett,
      "furnished",
      `FROM ${tinyImage}\nRUN mkdir /workspace && touch /workspace/furniture\n`,
    );
    const volume = sett.name("workspace-coder");
    await sett.runtime.apply.makeVolume({
      name: volume,
      labels: sett.labels({ component: "workspace", agent }),
    });
    const { id } = await sett.run('test -z "$(ls -A /workspace)"', {
      image,
      mounts: [{ kind: "volume", volume, target: "/workspace", access: "rw" }],
    });
    expect(await sett.runtime.workers.wait(id)).toBe(0);
  },
  timeLimitMs,
);

test("a volume that is not Sett's at all is refused", async () => {
  await using sett = await dockerInstance();
  const foreign = sett.name("cub-0123456789ab");
  await docker("volume", "create", foreign);
  const creating = sett.runtime.apply.makeVolume({
    name: foreign,
    labels: sett.labels({ component: "blackboard" }),
  });
  expect(await creating.catch((error) => error)).toMatchObject({ code: "instance-taken" });
  await sett.runtime.apply.removeVolume(foreign);
});

test("a copy of a volume that has all of its labels is not the instance's, and outlives it", async () => {
  await using sett = await dockerInstance();
  const { apply, observe } = sett.runtime;
  const labels = { ...sett.labels({ component: "workspace", agent }), id: "aa.1" };
  const volume = sett.name("workspace-coder");
  await apply.makeVolume({ name: volume, labels });
  const copy = `${volume}.2026-11-26`;
  const flags = Object.entries(writeLabels(labels)).flatMap((label) => [
    "--label",
    label.join("="),
  ]);
  await docker("volume", "create", ...flags, copy);
  try {
    expect((await observe.parts(sett.instance)).volumes.map(({ name }) => name)).toEqual([volume]);
    await apply.removeInstance(sett.instance, { blackboard: "remove" });
    const left = await docker("volume", "ls", "--quiet", "--filter", `name=${volume}`);
    expect(left.stdout.trim()).toBe(copy);
  } finally {
    await docker("volume", "rm", copy);
  }
});

test("making a volume with a missing image says which, and leaves no volume", async () => {
  await using sett = await dockerInstance();
  const image = "sett-test/no-such-image:1";
  const workspace = {
    name: sett.name("workspace-coder"),
    labels: sett.labels({ component: "workspace", agent }),
    owner: { uid: 1, gid: 1 },
    image,
  };
  const carrier = {
    name: sett.name("cub-0123456789ab"),
    labels: sett.labels({ component: "carrier" }),
    content: { image, path: "/cub" },
  };
  for (const volume of [workspace, carrier]) {
    const making = sett.runtime.apply.makeVolume(volume);
    await expect(making).rejects.toMatchObject({ code: "image-not-found" });
  }
  expect((await sett.runtime.observe.parts(sett.instance)).volumes).toEqual([]);
});

test("a bind mount of a path that is not there is refused, and the path is not made", async () => {
  await using sett = await dockerInstance();
  const path = join(tmpdir(), sett.name("no-such-folder"));
  await expect(
    sett.run("true", { mounts: [{ kind: "bind", path, target: "/git", access: "ro" }] }),
  ).rejects.toMatchObject({
    code: "docker-failed",
    message: expect.stringContaining(path),
  });
});

test("files that are written into a volume are its owner's alone, and so is the volume", async () => {
  await using sett = await dockerInstance();
  const volume = sett.name("record");
  await sett.runtime.apply.makeVolume({
    name: volume,
    labels: sett.labels({ component: "record" }),
  });
  const owner = { uid: 12_345, gid: 3_000_000 };
  const files = async function* () {
    yield { path: "ab/body", size: 4, content: new Blob(["body"]).stream() };
  };
  const { signal } = new AbortController();
  await sett.runtime.apply.writeFiles(volume, files(), { owner, signal });
  const listing = await sett.run(
    "cd /record && stat -c '%n %u:%g %a' . ab ab/body && touch ab/new",
    {
      user: owner,
      mounts: [{ kind: "volume", volume, target: "/record", access: "rw" }],
    },
  );
  expect(await sett.runtime.workers.wait(listing.id)).toBe(0);
  const lines: string[] = [];
  for await (const { line } of sett.runtime.observe.logs(listing.id)) lines.push(line);
  const ids = `${owner.uid}:${owner.gid}`;
  expect(lines).toEqual([`. ${ids} 755`, `ab ${ids} 700`, `ab/body ${ids} 600`]);
});

test(
  "an Engine that counts its disk for one asker at a time answers them all",
  async () => {
    const survey = await dockerSurvey(process.env, timeLimitMs);
    const surveys = Array.from({ length: 6 }, () => survey.volumeSizes());
    const answers = await Promise.allSettled(surveys);
    expect(answers.map(({ status }) => status)).toEqual(surveys.map(() => "fulfilled"));
  },
  timeLimitMs,
);

test(
  "a volume that a container of another still has is not removed, and the container is named",
  async () => {
    await using sett = await dockerInstance();
    const name = sett.name("workspace-coder");
    const labels = sett.labels({ component: "workspace", agent });
    await sett.runtime.apply.makeVolume({ name, labels });
    const other = `other-${crypto.randomUUID().slice(0, 8)}`;
    await docker("create", "--name", other, "--volume", `${name}:/data`, tinyImage, "true");
    const refused = await sett.runtime.apply.removeVolume(name).catch((error: unknown) => error);
    await docker("rm", other);
    expect(refused).toMatchObject({
      code: "docker-failed",
      message: `The volume ${name} is still used by ${other}.`,
      hint: expect.stringContaining(`docker rm --force ${other}`),
    });
    await sett.runtime.apply.removeVolume(name);
  },
  timeLimitMs,
);
