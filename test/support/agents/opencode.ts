// The coding CLI that agents/wrapped-cli wraps: the version of its Dockerfile, installed from npm
// as there.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { root } from "../root.ts";

/** The folder with the program; installed once for all runs on this machine. */
export function opencodeFolder(): string {
  const dockerfile = readFileSync(join(root, "agents/wrapped-cli/Dockerfile"), "utf8");
  const version = /OPENCODE_VERSION=(\S+)/.exec(dockerfile)?.[1];
  if (version === undefined) throw new Error("The Dockerfile names no version of opencode.");
  const name = `opencode-linux-${process.arch}`;
  const folder = join(root, "bin/tests", `${name}-${version}`);
  const programs = join(folder, "node_modules", name, "bin");
  if (existsSync(join(programs, "opencode"))) return programs;
  // Beside the target and renamed: another run may install it, too.
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const install = [
    "install",
    "--prefix",
    unfinished,
    "--no-audit",
    "--no-fund",
    `${name}@${version}`,
  ];
  const { status, stderr } = spawnSync("npm", install, { cwd: unfinished, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm could not install ${name}@${version}: ${stderr}`);
  if (existsSync(folder)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, folder);
  return programs;
}
