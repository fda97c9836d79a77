// An image with Node from npm and this machine's npm, in place of the official one, which needs a
// registry of images.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { $ } from "bun";

/** The official image of agents' Dockerfiles has this major version. */
const nodeVersion = "22.23.5";

export const nodeImage = `sett-test/node:${nodeVersion}`;

/** Made once for all runs on this machine. */
export async function makeNodeImage(): Promise<void> {
  if ((await $`docker image inspect ${nodeImage}`.quiet().nothrow()).exitCode === 0) return;
  const npm = dirname(dirname(await realpath((await $`which npm`.text()).trim())));
  const folder = await mkdtemp(join(tmpdir(), "sett-node-"));
  try {
    const name = `node-linux-${process.arch}`;
    await $`npm install --prefix ${folder}/from ${name}@${nodeVersion}`.quiet();
    const node = join(folder, "from/node_modules", name, "bin/node");
    const libraries = (await $`ldd ${node}`.text())
      .split("\n")
      .flatMap((line) => /=> (\S*\/lib(?:stdc\+\+|gcc_s)\S*)/.exec(line)?.[1] ?? []);
    await $`mkdir -p usr/local/bin usr/local/lib/node_modules usr/lib`.cwd(folder);
    await $`cp -L ${node} usr/local/bin/node && cp -RL ${npm} usr/local/lib/node_modules/npm`.cwd(
      folder,
    );
    for (const library of libraries) await $`cp -L ${library} usr/lib/`.cwd(folder);
    await $`ln -s ../lib/node_modules/npm/bin/npm-cli.js usr/local/bin/npm`.cwd(folder);
    await Bun.write(join(folder, "Dockerfile"), "FROM debian:bookworm-slim\nCOPY usr /usr\n");
    await $`docker build --quiet --tag ${nodeImage} ${folder}`.quiet();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * The build arguments by which an image of this machine reaches npm's registry as the machine does:
 * its address, and the certificate of the server that answers there.
 */
export async function registryArguments(): Promise<Record<string, string>> {
  const registry = (await $`npm config get registry`.text()).trim();
  const { hostname, port } = new URL(registry);
  const shown =
    await $`openssl s_client -showcerts -servername ${hostname} -connect ${`${hostname}:${port || 443}`} < /dev/null`
      .quiet()
      .nothrow()
      .text();
  const certificates = shown.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g);
  return {
    NODE_IMAGE: nodeImage,
    NPM_CONFIG_REGISTRY: registry,
    CA_CERTIFICATE: certificates?.at(-1) ?? "",
  };
}
