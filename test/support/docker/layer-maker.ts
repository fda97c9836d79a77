// A script in the place of the cub that makes layers, in an image.
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DockerInstance } from "./docker-instance.ts";
import { tinyImage } from "./tiny-image.ts";

/**
 * A commit of only `0` cannot be had, and of one of only `1` there is a layer without files. One of
 * only `2` is not finished before the store has a file `go`.
 */
const maker = `#!/bin/sh
echo '{"files":20541,"of":100000}'
case "$2" in
  000*) echo "no such commit"; exit 3 ;;
  111*) exit 0 ;;
  222*) until [ -e "$SETT_OBJECTS_DIR/go" ]; do sleep 0.1; done ;;
esac
mkdir "$SETT_LAYER_DIR/tree"
echo "\${SETT_WORKSPACE_PATHS:-$2 $(ls $SETT_OBJECTS_DIR)}" > "$SETT_LAYER_DIR/tree/file"
`;

/** Returns the tag of the image, which goes with the instance. */
export async function buildLayerMaker(at: DockerInstance): Promise<string> {
  const contextDir = await mkdtemp(join(tmpdir(), "sett-maker-"));
  await writeFile(join(contextDir, "cub"), maker);
  await chmod(join(contextDir, "cub"), 0o755);
  const dockerfile = `FROM ${tinyImage}\nCOPY cub /cub/cub\n`;
  await writeFile(join(contextDir, "Dockerfile"), dockerfile);
  const tag = at.imageTag("maker");
  await at.runtime.engine.images.build(
    { contextDir, dockerfile: "Dockerfile", args: {}, tag, labels: {} },
    { onProgress: () => {} },
  );
  await rm(contextDir, { recursive: true });
  return tag;
}
