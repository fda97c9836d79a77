// Does a Docker Engine answer? If not: can we start one here?

import { spawn } from "node:child_process";
import { existsSync, openSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { canInstallPackages, installPackages } from "./debian-packages.mjs";
import { attempt, isInstalled, run, SetupError, say } from "./shell.mjs";

const logPath = "/var/log/dockerd-sett.log";
const wayOut =
  "The demo does without one, with nothing isolated: npm run demo -- --runtime process";

/**
 * Makes sure that a Docker Engine answers. As root on Debian it installs and starts one; elsewhere
 * it says what to do.
 */
export async function ensureEngine() {
  const answer = askEngine();
  if (answer.isSuccess) {
    return;
  }
  if (!canInstallPackages()) {
    const reason = answer.stderr.split("\n").at(-1);
    const advice = /permission denied/i.test(reason)
      ? "let your user into the group docker"
      : "start Docker, or install it from your system's packages";
    throw new SetupError(
      `No Docker Engine answers (${reason}): ${advice}, and run this again. ${wayOut}`,
    );
  }
  say("no Docker Engine answers");
  if (!isInstalled("dockerd")) {
    installPackages(["docker.io"]);
  }
  startEngine();
  await engineAnswers({ withinMs: 60_000 });
}

function askEngine() {
  return isInstalled("docker")
    ? attempt("docker", ["version", "--format", "{{.Server.Version}}"], { timeoutMs: 20_000 })
    : { isSuccess: false, stdout: "", stderr: "there is no docker command" };
}

function startEngine() {
  if (existsSync("/run/systemd/system")) {
    say("starting Docker through systemd");
    run("systemctl", ["start", "docker"]);
    return;
  }
  for (const path of ["/var/run/docker.pid", "/var/run/docker/containerd/containerd.pid"])
    removeStalePidFile(path);
  say(`starting dockerd in the background; its log is ${logPath}`);
  const log = openSync(logPath, "a");
  spawn("dockerd", [], { detached: true, stdio: ["ignore", log, log] }).unref();
}

/**
 * An engine that was killed leaves its pid file, and a new one refuses to start as soon as any
 * process has that number.
 */
function removeStalePidFile(path) {
  if (!existsSync(path)) return;
  const name = `/proc/${readFileSync(path, "utf8").trim()}/comm`;
  const isAlive =
    existsSync(name) && /^(?:dockerd|containerd)$/.test(readFileSync(name, "utf8").trim());
  if (!isAlive) rmSync(path);
}

async function engineAnswers({ withinMs }) {
  const deadline = Date.now() + withinMs;
  while (!askEngine().isSuccess) {
    if (Date.now() > deadline) {
      throw new SetupError(
        `dockerd was started but does not answer after ${withinMs / 1000} s: see ${logPath}. ${wayOut}`,
      );
    }
    await delay(250);
  }
  say("a Docker Engine answers");
}
