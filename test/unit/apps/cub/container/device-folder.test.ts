// Shows what commands that are root of their container leave in /dev.
import { expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DeviceFolder } from "../../../../../apps/cub/container/device-folder.ts";

test("new entries go, links lead where they led, and the rest stays", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-devices-"));
  const at = (name: string) => join(folder, name);
  await symlink("/proc/self/fd/1", at("stdout"));
  await symlink("/proc/self/fd/2", at("stderr"));
  await writeFile(at("null"), "");
  const devices = new DeviceFolder(folder);
  await mkdir(at("new/deep"), { recursive: true });
  await writeFile(at(".hidden"), "");
  await rm(at("stdout"));
  await writeFile(at("stdout"), "caught");
  await rm(at("stderr"));
  await devices.restore();
  expect((await readdir(folder)).toSorted()).toEqual(["null", "stderr", "stdout"]);
  expect([await readlink(at("stdout")), await readlink(at("stderr"))]).toEqual([
    "/proc/self/fd/1",
    "/proc/self/fd/2",
  ]);
  await rm(folder, { recursive: true });
});
