// Prepares a machine for Sett: `node .ci/setup.mjs [--tests]`.
//
// Needs only Node and npm, git, and either Debian's packages (as root) or a Docker Engine that is already there. Does
// nothing, quickly, when everything is in place. `--tests` adds the programs that only the tests use.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBaseImages } from "./base-images.mjs";
import { ensurePrograms } from "./setup/debian-packages.mjs";
import { ensureEngine } from "./setup/engine.mjs";
import { ensureJavaScript } from "./setup/javascript.mjs";
import { runSteps } from "./setup/shell.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const testPrograms = { "redis-server": "redis-server", busybox: "busybox-static" };

await runSteps(async () => {
  ensureJavaScript(root);
  ensurePrograms({ git: "git", ...(process.argv.includes("--tests") && testPrograms) });
  await ensureEngine();
  await ensureBaseImages();
});
