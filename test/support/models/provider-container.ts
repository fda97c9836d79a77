// A provider of language models in a container of its own: `@copilotkit/aimock`, which answers
// "hello", or by fixtures of its own format.
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { root } from "../root.ts";
import { waitFor } from "../wait-for.ts";

const port = 4010;

/**
 * In this network, under the name `provider` and port 4010. It accepts these keys and no others.
 */
export async function startProvider(
  network: string,
  keys: readonly string[],
  fixtures?: readonly object[],
): Promise<AsyncDisposable & { requests(): Promise<string> }> {
  const mock = await realpath(join(root, "node_modules/@copilotkit/aimock"));
  // The program that runs this test, which needs nothing but the C library.
  const bun = await realpath(process.execPath);
  const mounts = [`--volume=${bun}:/usr/local/bin/bun:ro`, `--volume=${mock}:/aimock:ro`];
  const folder = await mkdtemp(join(tmpdir(), "sett-provider-"));
  const example = join(mock, "fixtures/example-greeting.json");
  const plan = fixtures === undefined ? await readFile(example) : JSON.stringify({ fixtures });
  await writeFile(join(folder, "plan.json"), plan);
  const place = [
    `--volume=${folder}:/plan:ro`,
    `--network=${network}`,
    "--network-alias=provider",
    `--env=AIMOCK_API_KEYS=${keys.join(",")}`,
  ];
  const serve = [
    "/usr/local/bin/bun",
    "/aimock/dist/cli.js",
    "--host",
    "0.0.0.0",
    "--fixtures",
    "/plan/plan.json",
  ];
  const container = (
    await $`docker run --detach ${place} ${mounts} debian:bookworm-slim ${serve}`.text()
  ).trim();
  const ask = `await fetch("http://127.0.0.1:${port}/v1/models")`;
  const answers = async () =>
    (await $`docker exec ${container} /usr/local/bin/bun -e ${ask}`.nothrow().quiet()).exitCode ===
    0;
  await waitFor("the provider to answer", answers, { everyMs: 100 });
  const journal = `console.log(await (await fetch("http://127.0.0.1:${port}/v1/_requests", { headers: { authorization: "Bearer ${keys[0]}" } })).text())`;
  return {
    requests: async () => await $`docker exec ${container} /usr/local/bin/bun -e ${journal}`.text(),
    [Symbol.asyncDispose]: async () => {
      await $`docker rm --force --volumes ${container}`.nothrow().quiet();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
