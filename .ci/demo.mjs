// `npm run demo -- [options]`: prepares the machine for what the options ask for, then shows the
// demo.

import { spawnSync } from "node:child_process";

const options = process.argv.slice(2);
const isWithoutDocker = options.some(
  (option, at) =>
    option === "--runtime=process" || (option === "--runtime" && options[at + 1] === "process"),
);

// Ctrl-C reaches the demo too, which removes what it has made: this process must not end before the
// demo does.
process.on("SIGINT", () => {});

function run(program, args) {
  const { status } = spawnSync(program, args, { stdio: "inherit" });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}

run(process.execPath, [".ci/setup.mjs", ...(isWithoutDocker ? ["--without-docker"] : [])]);
run("node_modules/.bin/bun", ["run", ".ci/demo.ts", ...options]);
