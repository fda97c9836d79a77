// Pushes the images that the programs carry: `bun .ci/publish-images.ts REGISTRY/PATH
// [--insecure]`, after `just package` and `docker login`.
//
// Each goes to REGISTRY/PATH/NAME, as VERSION-amd64 and VERSION-arm64; VERSION is the manifest list
// of both, from which an Engine pulls its own architecture. Prints one line for each list, in the
// format of sha256sum: its digest, and its name without a tag. `--insecure` is for a registry
// without TLS.

import { createReadStream } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import packageJson from "../package.json" with { type: "json" };
import { hostArchitecture, otherArchitecture } from "./build.ts";
import { carriedNames } from "./carry.ts";
import { reportFailure } from "./report-failure.ts";

const root = dirname(import.meta.dir);
const { version } = packageJson;
/** The Engine's own architecture last: its images stay in the Engine. */
const architectures = [otherArchitecture, hostArchitecture];

/** The digest of each list under the name of its image. */
async function publish(repository: string, options: string[]): Promise<Map<string, string>> {
  for (const architecture of architectures) {
    await load(join(root, `bin/carried/${architecture}/images.zst`));
    for (const name of carriedNames) {
      const tag = `${repository}/${name}:${version}-${architecture}`;
      await Bun.$`docker tag ${`sett/${name}:${version}`} ${tag}`.quiet();
      await Bun.$`docker push ${tag}`.quiet();
      console.error(`pushed ${tag}`);
    }
  }
  const digests = new Map<string, string>();
  for (const name of carriedNames) {
    const list = `${repository}/${name}:${version}`;
    // --amend: replaces a list that an earlier, failed run left here.
    await Bun.$`docker manifest create ${options} --amend ${list} ${architectures.map((one) => `${list}-${one}`)}`.quiet();
    const digest = (
      await Bun.$`docker manifest push ${options} --purge ${list}`.quiet().text()
    ).trim();
    digests.set(`${repository}/${name}`, digest.replace("sha256:", ""));
    console.error(`pushed ${list}, the list of both`);
  }
  return digests;
}

/**
 * An Engine has one image for each name: the images of the next architecture replace those of the
 * last one.
 */
async function load(path: string): Promise<void> {
  const docker = Bun.spawn(["docker", "load", "--quiet"], { stdio: ["pipe", "ignore", "inherit"] });
  await pipeline(createReadStream(path), createZstdDecompress(), async (chunks) => {
    for await (const chunk of chunks) {
      docker.stdin.write(chunk);
      await docker.stdin.flush();
    }
    await docker.stdin.end();
  });
  if ((await docker.exited) !== 0) throw new Error(`The Engine could not load ${path}.`);
}

if (import.meta.main) {
  try {
    const [repository, ...options] = process.argv.slice(2);
    if (repository === undefined || options.some((option) => option !== "--insecure")) {
      throw new Error(
        "Name where the images go: bun .ci/publish-images.ts REGISTRY/PATH [--insecure]",
      );
    }
    // Names of images have no capital letters; names of repositories on a forge may.
    for (const [name, digest] of await publish(repository.toLowerCase(), options))
      console.log(`${digest}  ${name}`);
  } catch (error) {
    reportFailure(error);
  }
}
