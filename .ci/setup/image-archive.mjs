// How does a folder of files become an image with a platform of our choice?
//
// `docker import` labels everything with the Engine's own architecture, whatever its options say.
// `docker load` believes the archive, so the archive is written here: one layer, one configuration,
// one manifest.

import { createHash } from "node:crypto";
import { createReadStream, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { run } from "./shell.mjs";

/**
 * Loads an image into the Engine under `tag`. `folder` holds `layer.tar` (or nothing, for an empty
 * image) and is written to; `architecture` is Docker's word (amd64, arm64); `config` is the image
 * configuration of the OCI specification.
 */
export async function loadImage({ folder, tag, architecture, config }) {
  const layers = existsSync(join(folder, "layer.tar")) ? ["layer.tar"] : [];
  const diffIds = await Promise.all(layers.map((layer) => sha256(join(folder, layer))));
  const image = {
    created: new Date().toISOString(),
    architecture,
    os: "linux",
    config,
    rootfs: { type: "layers", diff_ids: diffIds },
  };
  writeFileSync(join(folder, "config.json"), JSON.stringify(image));
  writeFileSync(
    join(folder, "manifest.json"),
    JSON.stringify([{ Config: "config.json", RepoTags: [tag], Layers: layers }]),
  );
  const archive = join(folder, "image.tar");
  run("tar", ["-C", folder, "-cf", archive, "config.json", "manifest.json", ...layers]);
  run("docker", ["load", "--quiet", "--input", archive], { isQuiet: true });
}

async function sha256(path) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest("hex")}`;
}
