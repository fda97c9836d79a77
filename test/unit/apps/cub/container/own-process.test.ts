// Shows what a cub can know about a process that was a cub, too.
import { afterAll, describe, expect, test } from "bun:test";
import { containerIn, hasEnded } from "../../../../../apps/cub/container/own-process.ts";
import type { ProcessMark } from "../../../../../lib/model/claim.ts";
import {
  endedMark,
  endMarkedProcesses,
  livingMark,
  own,
} from "../../../../support/cub/marked-process.ts";

afterAll(endMarkedProcesses);

describe("that a process has ended", () => {
  const [one, other] = ["1", "2"].map((digit) => digit.repeat(64));
  const elsewhere = "pid:[1]";
  const rebooted = ({ born }: ProcessMark) => born.replace(/@.*/, "@another-start");

  test("is certain where its number is free, or belongs to another process by now", async () => {
    const mark = livingMark();
    expect(hasEnded(own, own)).toBe(false);
    expect(hasEnded(mark, own)).toBe(false);
    expect(hasEnded(await endedMark(), own)).toBe(true);
    expect(hasEnded({ ...mark, born: `0${mark.born}` }, own)).toBe(true);
  });

  test("is certain after its container was started again, and not for a process beside it in the same run", async () => {
    const mark = livingMark();
    const [before, now] = [
      { ...mark, container: one },
      { ...own, container: one },
    ];
    expect(hasEnded(before, now)).toBe(false);
    expect(hasEnded({ ...before, namespace: elsewhere }, now)).toBe(true);
    expect(hasEnded({ ...before, born: rebooted(mark) }, now)).toBe(true);
    expect(hasEnded({ ...(await endedMark()), container: one }, now)).toBe(true);
  });

  test("is not certain in another container, in another pid namespace, or on another machine", async () => {
    const gone = await endedMark();
    expect(hasEnded({ ...gone, container: one }, { ...own, container: other })).toBe(false);
    expect(hasEnded({ ...gone, container: one }, own)).toBe(false);
    expect(hasEnded(gone, { ...own, container: one })).toBe(false);
    expect(hasEnded({ ...gone, namespace: elsewhere }, own)).toBe(false);
    expect(hasEnded({ ...gone, born: rebooted(gone) }, own)).toBe(false);
  });

  test("needs the container's id, which the engine's own mounts contain", () => {
    const mount = (root: string, point: string) =>
      `758 741 254:1 ${root} ${point} rw,relatime - ext4 /dev/vda1 rw\n`;
    const docker = mount(`/var/lib/docker/containers/${one}/hostname`, "/etc/hostname");
    const podman = mount(`/overlay-containers/${other}/userdata/hostname`, "/etc/hostname");
    expect(containerIn(mount("/", "/") + docker)).toBe(one);
    expect(containerIn(podman)).toBe(other);
    expect(
      containerIn(mount(`/var/lib/docker/containers/${one}/hostname`, "/tmp/hostname")),
    ).toBeUndefined();
    expect(containerIn(mount("/pods/1/etc-hosts", "/etc/hosts"))).toBeUndefined();
  });
});
