// Prepares a machine for Sett: `node .ci/setup.mjs [--tests] [--without-docker]`.
//
// Needs only Node and npm, git, and either Debian's packages (as root) or a Docker Engine that is already there. Does
// nothing, quickly, when everything is in place. `--tests` adds the programs that only the tests use; `--without-docker` wants no
// Engine, but what the parts of a sett need when they run on the machine itself.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBaseImages } from "./base-images.mjs";
import { ensurePrograms } from "./setup/debian-packages.mjs";
import { ensureEngine } from "./setup/engine.mjs";
import { ensureJavaScript } from "./setup/javascript.mjs";
import { runSteps } from "./setup/shell.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isWithoutDocker = process.argv.includes("--without-docker");
const machinePrograms = { "redis-server": "redis-server", jq: "jq" };
const testPrograms = { "redis-server": "redis-server", busybox: "busybox-static" };

await runSteps(async () => {
  ensureJavaScript(root);
  ensurePrograms({
    git: "git",
    ...(process.argv.includes("--tests") && testPrograms),
    ...(isWithoutDocker && machinePrograms),
  });
  if (isWithoutDocker) return;
  await ensureEngine();
  await ensureBaseImages();
});
