// A provider of language models in a container of its own: `@copilotkit/aimock`, which answers "hello", and keeps what it was sent.
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { root } from "../root.ts";
import { waitFor } from "../wait-for.ts";

const port = 4010;

/** One request, as the provider got it. */
export type Sent = { path: string; headers: Record<string, string> };

export type ProviderContainer = AsyncDisposable & {
  /** The requests so far, oldest first, without those of this helper. */
  sent(): Promise<Sent[]>;
};

/** In this network, under the name `provider` and port 4010. It accepts these keys and no others. */
export async function startProvider(network: string, keys: readonly string[]): Promise<ProviderContainer> {
  const mock = await realpath(join(root, "node_modules/@copilotkit/aimock"));
  // The program that runs this test, which needs nothing but the C library.
  const bun = await realpath(process.execPath);
  const mounts = [`--volume=${bun}:/usr/local/bin/bun:ro`, `--volume=${mock}:/aimock:ro`];
  const place = [`--network=${network}`, "--network-alias=provider", `--env=AIMOCK_API_KEYS=${keys.join(",")}`];
  const serve = [
    "/usr/local/bin/bun",
    "/aimock/dist/cli.js",
    "--host",
    "0.0.0.0",
    "--fixtures",
    "/aimock/fixtures/example-greeting.json",
  ];
  const container = (await $`docker run --detach ${place} ${mounts} debian:bookworm-slim ${serve}`.text()).trim();
  const ask = `const answer = await fetch("http://127.0.0.1:${port}/__aimock/journal", { headers: { authorization: "Bearer ${keys[0]}" } }); console.log(await answer.text());`;
  const journal = async () => {
    const { exitCode, stdout } = await $`docker exec ${container} /usr/local/bin/bun -e ${ask}`.nothrow().quiet();
    return exitCode === 0 ? stdout.toString() : undefined;
  };
  await waitFor("the provider to answer", journal, { everyMs: 100 });
  return {
    sent: async () => JSON.parse((await journal()) ?? "[]"),
    [Symbol.asyncDispose]: async () => void (await $`docker rm --force --volumes ${container}`.quiet()),
  };
}
