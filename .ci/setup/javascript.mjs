// Are the project's JavaScript dependencies installed, as bun.lock names them?

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, SetupError, say } from "./shell.mjs";

/** They let packages load what Sett never uses of them when it is used. */
const patches = ".ci/patches";

/**
 * Installs the dependencies unless node_modules was filled from this very bun.lock, with these very
 * patches. Bun comes from its npm package, in the version that package.json pins.
 */
export function ensureJavaScript(root) {
  if (Number(process.versions.node.split(".")[0]) < 20) {
    throw new SetupError(`Node ${process.versions.node} is too old: install Node 20 or newer.`);
  }
  const stamp = join(root, "node_modules", ".sett-installed");
  const files = readdirSync(join(root, patches)).sort();
  const hash = createHash("sha256").update(readFileSync(join(root, "bun.lock")));
  for (const file of files) hash.update(readFileSync(join(root, patches, file)));
  const wanted = hash.digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) {
    return;
  }
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  say(`installing the JavaScript dependencies with bun ${devDependencies.bun}`);
  run("npx", ["--yes", `bun@${devDependencies.bun}`, "install", "--frozen-lockfile"], {
    cwd: root,
  });
  writeFileSync(stamp, wanted);
}
