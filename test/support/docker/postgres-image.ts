// An image with Debian's PostgreSQL, jq and git, in place of the official one, which needs a
// registry of images.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";

export const postgresImage = "sett-test/postgres:local";
/** The folder of its programs. */
export const postgresFolder = "/usr/lib/postgresql/15/bin";

/** Made once for all runs on this machine. Returns its user `postgres`, by number. */
export async function makePostgresImage(): Promise<string> {
  if ((await $`docker image inspect ${postgresImage}`.quiet().nothrow()).exitCode !== 0)
    await importPostgres();
  const ids = ["sh", "-c", "echo $(id -u postgres):$(id -g postgres)"];
  return (await $`docker run --rm --network none ${postgresImage} ${ids}`.text()).trim();
}

async function importPostgres(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sett-postgres-"));
  const layer = join(folder, "layer.tar");
  try {
    const include = "--include=postgresql-15,jq,git,ca-certificates";
    await $`mmdebstrap --quiet --variant=apt ${include} bookworm ${layer}`.quiet();
    await $`docker import ${layer} ${postgresImage}`.quiet();
  } finally {
    await rm(folder, { recursive: true });
  }
}
