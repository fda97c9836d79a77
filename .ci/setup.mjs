// Prepares a machine for Sett: `node .ci/setup.mjs [--checks] [--tests] [--without-docker]`.
//
// Needs only Node and npm, git, and either Debian's packages (as root) or a Docker Engine that is
// already there. Does nothing, quickly, when everything is in place. `--checks` installs the
// JavaScript dependencies alone, which is all that `just check` needs; `--tests` adds the programs
// that only the tests use; `--without-docker` prepares no Engine, but the programs that a sett
// needs when it runs without containers.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBaseImages } from "./base-images.mjs";
import { ensurePrograms } from "./setup/debian-packages.mjs";
import { ensureEngine } from "./setup/engine.mjs";
import { ensureJavaScript } from "./setup/javascript.mjs";
import { ensureSchemathesis } from "./setup/python.mjs";
import { prepareRootlessEngine } from "./setup/rootless.mjs";
import { runSteps } from "./setup/shell.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isWithoutDocker = process.argv.includes("--without-docker");
const machinePrograms = { "redis-server": "redis-server", jq: "jq" };
const testPrograms = {
  "redis-server": "redis-server",
  // The page is tested in it.
  chromium: "chromium",
  busybox: "busybox-static",
  // Images are pulled from it with a login.
  "docker-registry": "docker-registry",
  "/usr/sbin/sshd": "openssh-server",
  // The programs of the other architecture, x64 on ARM64 and the other way round, run in an
  // emulator, with a C library of their own.
  ...(process.arch === "arm64"
    ? {
        "qemu-x86_64-static": "qemu-user-static",
        "/usr/x86_64-linux-gnu/lib64/ld-linux-x86-64.so.2": "libc6-amd64-cross",
      }
    : {
        "qemu-aarch64-static": "qemu-user-static",
        "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1": "libc6-arm64-cross",
      }),
};

await runSteps(async () => {
  ensureJavaScript(root);
  if (process.argv.includes("--checks")) return;
  ensurePrograms({
    git: "git",
    ...(process.argv.includes("--tests") && testPrograms),
    ...(isWithoutDocker && machinePrograms),
  });
  if (process.argv.includes("--tests")) {
    ensureSchemathesis(root);
    prepareRootlessEngine();
  }
  if (isWithoutDocker) return;
  await ensureEngine();
  await ensureBaseImages();
});
