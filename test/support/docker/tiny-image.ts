// A container image of 2 MB for tests: one static busybox and nothing else, made here because no
// registry may answer.
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const tinyImage = "sett-test/busybox:local";

const busybox = "/bin/busybox";
const applets =
  "cat chmod chown echo env false grep head httpd id kill ls mkdir mv nc printf ps pwd rm seq setsid sh sleep stat tail test touch true wc wget".split(
    " ",
  );

/** Makes `tinyImage` unless the engine has it. */
export async function ensureTinyImage(): Promise<void> {
  if ((await docker("image", "inspect", tinyImage)).exitCode === 0) return;
  if (!existsSync(busybox)) {
    throw new Error(
      `The tests need a static ${busybox}: install the Debian package busybox-static (apt-get install busybox-static).`,
    );
  }
  const root = await mkdtemp(join(tmpdir(), "sett-tiny-image-"));
  try {
    await mkdir(join(root, "rootfs", "bin"), { recursive: true });
    await mkdir(join(root, "rootfs", "tmp"), { mode: 0o1777 });
    await cp(busybox, join(root, "rootfs", "bin", "busybox"));
    for (const applet of applets) await symlink("busybox", join(root, "rootfs", "bin", applet));
    const tar = Bun.spawn(["tar", "-C", join(root, "rootfs"), "-cf", join(root, "image.tar"), "."]);
    if ((await tar.exited) !== 0) throw new Error("tar could not pack the tiny image.");
    const imported = await docker(
      "import",
      "--change",
      "ENV PATH=/bin",
      join(root, "image.tar"),
      tinyImage,
    );
    if (imported.exitCode !== 0)
      throw new Error(`docker import of the tiny image failed: ${imported.stderr}`);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Runs the docker command line: what a person at a terminal would see of what Sett did. */
export async function docker(
  ...args: string[]
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const child = Bun.spawn(["docker", ...args], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [exitCode, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode, stdout, stderr };
}
