// `npm run demo -- [options]`: prepares the machine for what the options ask for, then shows the demo.

import { spawnSync } from "node:child_process";

const options = process.argv.slice(2);
const isWithoutDocker = options.some(
  (word, at) => word === "--runtime=process" || (word === "--runtime" && options[at + 1] === "process"),
);

// Ctrl-C reaches the demo too, which has something to take back: whoever waits for it must not leave first.
process.on("SIGINT", () => {});

function run(program, words) {
  const { status } = spawnSync(program, words, { stdio: "inherit" });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}

run(process.execPath, [".ci/setup.mjs", ...(isWithoutDocker ? ["--without-docker"] : [])]);
run("node_modules/.bin/bun", ["run", ".ci/demo.ts", ...options]);
