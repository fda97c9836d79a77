#!/usr/bin/env node
// Starts the program of this machine's platform, which npm has installed beside this package.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";

const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
const program = find(platform);

if (program === undefined) {
  console.error(`sett: There is no sett for ${platform} beside this package.`);
  console.error(
    `  → Install again without --omit=optional: npm install sett. There is one for Linux and macOS, on amd64 and arm64.`,
  );
  process.exit(1);
}

// A terminal sends its interruptions to both of us: the program decides what becomes of them, and we end with it.
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const name of ["SIGINT", "SIGQUIT"]) process.on(name, () => {});
for (const name of ["SIGTERM", "SIGHUP"]) process.on(name, () => child.kill(name));
child.on("error", (error) => {
  console.error(`sett: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

function find(name) {
  try {
    return createRequire(import.meta.url).resolve(`sett-${name}/sett`);
  } catch {
    return undefined;
  }
}
