import { expect, test } from "bun:test";
import { chmod, copyFile, mkdtemp, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../support/root.ts";

const script = join(root, ".ci/set-interpreter.sh");
const isLinux = process.platform === "linux";

/**
 * A copy of a real program in a folder whose path is short enough for a loader; the folder goes
 * away with the handle.
 */
async function copyOfTrue() {
  const folder = await mkdtemp("/tmp/i-");
  const program = join(folder, "true");
  await copyFile("/bin/true", program);
  await chmod(program, 0o755);
  return { folder, program, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

function run(...command: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

async function bytesOf(path: string) {
  return Buffer.from(await Bun.file(path).arrayBuffer());
}

test.if(isLinux)(
  "a program starts with the loader that it was given, and with no other",
  async () => {
    await using copy = await copyOfTrue();
    const before = await bytesOf(copy.program);
    const loader = join(copy.folder, "ld.so");

    expect(run(script, copy.program, loader)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(() => Bun.spawnSync([copy.program])).toThrow("ENOENT");

    const [original] =
      /\/lib(64)?\/ld-linux-[a-z0-9_-]+\.so\.\d/.exec(before.toString("latin1")) ?? [];
    await symlink(original ?? "", loader);
    expect(await readlink(loader)).toBe(original ?? "");
    expect(run(copy.program).exitCode).toBe(0);
  },
);

test.if(isLinux)(
  "nothing moves: the file keeps its size and differs only where the loader's path stood",
  async () => {
    await using copy = await copyOfTrue();
    const before = await bytesOf(copy.program);
    run(script, copy.program, "/cub/ld.so");
    const after = await bytesOf(copy.program);

    const at = after.indexOf("/cub/ld.so\0");
    const length = before.indexOf("\0", at) - at;
    expect(after.byteLength).toBe(before.byteLength);
    expect(after.subarray(at, at + length).toString("latin1")).toBe(
      "/cub/ld.so".padEnd(length, "\0"),
    );
    expect(after.subarray(0, at).equals(before.subarray(0, at))).toBe(true);
    expect(after.subarray(at + length).equals(before.subarray(at + length))).toBe(true);
  },
);

test.if(isLinux)(
  "a loader whose path does not fit is refused, and the program left as it was",
  async () => {
    await using copy = await copyOfTrue();
    const before = await bytesOf(copy.program);
    const { exitCode, stderr } = run(
      script,
      copy.program,
      "/a/path/much/longer/than/any/loader.so",
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain("is longer than /lib");
    expect((await bytesOf(copy.program)).equals(before)).toBe(true);
  },
);

test("a file that is no dynamically linked program is refused", () => {
  const { exitCode, stderr } = run(script, import.meta.path, "/cub/ld.so");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("names no loader on its first page");
});
