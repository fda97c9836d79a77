// Stand-ins for the two base images where no registry answers: the same tags, made from Debian's
// packages.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canInstallPackages, installPackages } from "./debian-packages.mjs";
import { loadImage } from "./image-archive.mjs";
import { isInstalled, run, SetupError, say } from "./shell.mjs";

const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const hook = (name) => fileURLToPath(new URL(`stand-in-${name}.sh`, import.meta.url));
const withoutManuals = ["doc", "man", "info", "locale", "lintian"].map(
  (folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`,
);

/** The packages that sett/agent-base would have to add to Debian's image. */
const added = "git,jq,ripgrep,ca-certificates";

/** A whole small Debian with a working apt, and those packages. */
const debian = {
  added,
  mmdebstrap: ["--variant=apt", `--include=${added}`, ...withoutManuals],
  config: { Env: [path], Cmd: ["bash"] },
};

/**
 * The same programs for another architecture, unpacked but not configured: running every package's
 * scripts in an emulator takes five minutes. Good for building Sett's own images; it has no apt.
 */
const foreignDebian = {
  added,
  mmdebstrap: [
    "--variant=extract",
    "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
    `--extract-hook=${hook("debian")}`,
    `--include=base-files,base-passwd,bash,coreutils,dash,debianutils,findutils,grep,gzip,libc-bin,mawk,sed,tar,${added}`,
  ],
  config: { Env: [path], Cmd: ["bash"] },
};

/**
 * Looks like the official image to its user: names, ids, folders, entrypoint. The server binary is
 * in redis-tools.
 */
const redis = {
  mmdebstrap: [
    "--variant=extract",
    `--extract-hook=${hook("redis")}`,
    "--include=redis-tools,busybox-static",
  ],
  config: {
    Env: [path],
    Entrypoint: ["docker-entrypoint.sh"],
    Cmd: ["redis-server"],
    WorkingDir: "/data",
    Volumes: { "/data": {} },
    ExposedPorts: { "6379/tcp": {} },
  },
};

const recipes = { debian, "debian-foreign": foreignDebian, redis };
const baseLabel = "dev.sett.base";
const addedLabel = "dev.sett.added";

/** Whether the image of these labels is a stand-in that lacks packages of today's recipe. */
export function isOutdated(recipe, labels) {
  const { added: wanted } = recipes[recipe];
  return (
    labels?.[baseLabel] === "debian-packages" &&
    wanted !== undefined &&
    labels[addedLabel] !== wanted
  );
}

/** Builds the stand-in `recipe` and loads it as `tag`. Needs root on Debian, and half a minute. */
export async function buildStandIn({ recipe, tag, architecture }) {
  if (!canInstallPackages()) {
    throw new SetupError(
      `The image ${tag} is missing and no registry answers: pull it where one does, or run this as root on Debian to build it.`,
    );
  }
  if (!isInstalled("mmdebstrap")) {
    installPackages(["mmdebstrap"]);
  }
  const { mmdebstrap, config, added: packages } = recipes[recipe];
  const folder = mkdtempSync(join(tmpdir(), "sett-base-"));
  const startedAt = Date.now();
  try {
    run(
      "mmdebstrap",
      [
        "--quiet",
        `--architectures=${architecture}`,
        ...mmdebstrap,
        "bookworm",
        join(folder, "layer.tar"),
      ],
      {
        isQuiet: true,
      },
    );
    await loadImage({
      folder,
      tag,
      architecture,
      config: {
        ...config,
        Labels: { [baseLabel]: "debian-packages", ...(packages && { [addedLabel]: packages }) },
      },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  say(`built ${tag} from Debian's packages in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

/**
 * An image of `architecture` with nothing in it: what `FROM scratch` would be if the legacy builder
 * knew platforms.
 */
export async function buildEmpty({ tag, architecture }) {
  const folder = mkdtempSync(join(tmpdir(), "sett-base-"));
  try {
    await loadImage({
      folder,
      tag,
      architecture,
      config: { Labels: { [baseLabel]: "empty" } },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
