// Makes sure that the base images are in the Engine: pulled where a registry answers, else built
// from Debian's packages under the same tags. `node .ci/base-images.mjs arm64` adds what
// cross-building for that architecture starts from.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { canInstallPackages, installPackages } from "./setup/debian-packages.mjs";
import { attempt, isInstalled, run, runSteps, SetupError, say } from "./setup/shell.mjs";
import { buildEmpty, buildStandIn, isOutdated } from "./setup/stand-ins.mjs";

const answerWithinMs = 20_000;
const pullWithinMs = 600_000;

/** `debian:bookworm-slim` and `redis:7-alpine`, for the Engine's own architecture. */
export async function ensureBaseImages() {
  const wanted = { "debian:bookworm-slim": "debian", "redis:7-alpine": "redis" };
  const missing = Object.entries(wanted).filter(
    ([tag, recipe]) => !hasImage(tag) || isOutdated(recipe, labelsOf(tag)),
  );
  if (missing.length === 0) {
    return;
  }
  const architecture = attempt("docker", ["version", "--format", "{{.Server.Arch}}"]).stdout;
  const absent = [];
  for (const [tag, recipe] of missing) {
    if (!(await pull(tag, architecture))) {
      absent.push({ tag, recipe, architecture });
    }
  }
  for (const image of absent) {
    await buildStandIn(image);
  }
}

/**
 * `debian:bookworm-slim-ARCH` and `sett/empty:ARCH`: the base images for another architecture,
 * without buildx.
 */
async function ensureForeignImages(architecture) {
  ensureEmulator(architecture);
  const tag = `debian:bookworm-slim-${architecture}`;
  await ensureForeignRedis(architecture);
  if (!hasImage(`sett/empty:${architecture}`)) {
    await buildEmpty({ tag: `sett/empty:${architecture}`, architecture });
  }
  if (hasImage(tag) && !isOutdated("debian-foreign", labelsOf(tag))) {
    return;
  }
  // Pulling another platform moves the plain tag, which has to go back to where it was.
  const native = attempt("docker", [
    "image",
    "inspect",
    "--format",
    "{{.Id}}",
    "debian:bookworm-slim",
  ]).stdout;
  if (await pull("debian:bookworm-slim", architecture)) {
    run("docker", ["tag", "debian:bookworm-slim", tag]);
    run("docker", ["tag", native, "debian:bookworm-slim"]);
    return;
  }
  await buildStandIn({ recipe: "debian-foreign", tag, architecture });
}

/**
 * Needed only where the native Redis is our own stand-in: otherwise the image build installs
 * Debian's Redis from the network.
 */
async function ensureForeignRedis(architecture) {
  const tag = `redis:7-alpine-${architecture}`;
  if (hasImage(tag) || labelsOf("redis:7-alpine")?.["dev.sett.base"] !== "debian-packages") {
    return;
  }
  await buildStandIn({ recipe: "redis", tag, architecture });
}

function hasImage(tag) {
  return attempt("docker", ["image", "inspect", "--format", "{{.Id}}", tag]).isSuccess;
}

function labelsOf(tag) {
  const format = ["image", "inspect", "--format", "{{json .Config.Labels}}", tag];
  const { isSuccess, stdout } = attempt("docker", format);
  return isSuccess ? JSON.parse(stdout) : null;
}

/**
 * Pulls an image. False when no registry answers in time, or none has the image. Prints which it
 * was.
 */
async function pull(tag, architecture) {
  const puller = spawn("docker", ["pull", "--platform", `linux/${architecture}`, tag], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let timer = setTimeout(() => puller.kill(), answerWithinMs);
  let complaint = "no answer";
  puller.stderr.setEncoding("utf8").on("data", (text) => {
    complaint = text.trim().split("\n").at(-1);
  });
  // The first line on stdout means that a registry has the image: the rest depends on the
  // bandwidth.
  puller.stdout.once("data", () => {
    say(`pulling ${tag}`);
    clearTimeout(timer);
    timer = setTimeout(() => puller.kill(), pullWithinMs);
  });
  puller.stdout.resume();
  const code = await new Promise((resolve) => puller.on("close", resolve));
  clearTimeout(timer);
  say(
    code === 0
      ? `pulled ${tag}`
      : `${tag} cannot be pulled (${complaint.split(": ").at(-1)}): building it from Debian's packages instead`,
  );
  return code === 0;
}

/** Running programs of another architecture takes QEMU, registered with the kernel. */
function ensureEmulator(architecture) {
  const name = { arm64: "qemu-aarch64", amd64: "qemu-x86_64" }[architecture];
  const entry = `/proc/sys/fs/binfmt_misc/${name}`;
  if (
    process.platform !== "linux" ||
    (existsSync(entry) && readFileSync(entry, "utf8").startsWith("enabled"))
  ) {
    return;
  }
  if (!canInstallPackages()) {
    throw new SetupError(
      `Programs for ${architecture} cannot run here: install qemu-user-static and its binfmt entries.`,
    );
  }
  if (!isInstalled(`${name}-static`) || !isInstalled("update-binfmts")) {
    installPackages(["qemu-user-static", "binfmt-support"]);
  }
  if (!existsSync("/proc/sys/fs/binfmt_misc/register")) {
    run("mount", ["-t", "binfmt_misc", "binfmt_misc", "/proc/sys/fs/binfmt_misc"]);
  }
  run("update-binfmts", ["--enable", name]);
}

if (process.argv[1] === new URL(import.meta.url).pathname && process.argv[2]) {
  await runSteps(() => ensureForeignImages(process.argv[2]));
}
