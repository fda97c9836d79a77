// Shows what the errors about a missing image advise, with a real engine: only Sett's own images
// are built from Sett's sources.
import { expect, test } from "bun:test";
import { Progress } from "../../../apps/cli/terminal/progress.ts";
import { prepareImages } from "../../../apps/cli/up/images/images.ts";
import { parseConfig } from "../../../lib/config/parse-config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { fakeShell } from "../../support/cli/fake-shell.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { docker, tinyImage } from "../../support/docker/tiny-image.ts";

const missing = "0.0.0-nosuch";

/** The hint of the error, where everything is there but the agent's image, or the Redis. */
async function hintFor(image: string, redis = tinyImage): Promise<string | undefined> {
  await using sett = await dockerInstance();
  const { runtime, instance } = sett;
  await using stack = new AsyncDisposableStack();
  // The version is one of its own: Sett's images need not have been built.
  await docker("tag", tinyImage, `sett/cub:${instance}`);
  stack.defer(async () => void (await docker("image", "rm", `sett/cub:${instance}`)));
  const text = `version: '1.0'
agents: { coder: { image: "${image}", command: [run] } }
services: { orchestrator: { image: "${tinyImage}" }, redis: { image: "${redis}" } }
`;
  const { config } = parseConfig({ text, file: "sett.yml", folder: "/work", host: {} });
  if (config === undefined) throw new Error("The configuration is wrong.");
  using progress = new Progress(fakeShell().err);
  const signal = new AbortController().signal;
  const order = {
    runtime,
    instance,
    version: instance,
    config,
    isRebuild: false,
    progress,
    signal,
    built: [],
    id: "aa.1",
    remember: { begin: async () => {}, end: async () => {} },
    owner: { uid: 1, gid: 1 },
    env: {},
  };
  const error = await prepareImages(order).catch((thrown: unknown) => thrown);
  if (!(error instanceof SettError)) throw error;
  expect(error.code).toBe("image-not-found");
  expect(error.message).toContain(missing);
  return error.hint;
}

test.each(["cub", "orchestrator", "agent-base"])(
  "one of Sett's own, sett/%s, is to be built in its sources",
  async (name) => {
    expect(await hintFor(`sett/${name}:${missing}`)).toContain("`npx just build`");
  },
  120_000,
);

test.each(["sett/nosuch", "sett/cubicle", "sett/agent-base/mine"])(
  "the user's own, %s, is not",
  async (name) => {
    const hint = await hintFor(`${name}:${missing}`);
    expect(hint).toContain(`docker pull ${name}:${missing}`);
    expect(hint).not.toContain("just");
  },
  120_000,
);

test("a Redis that is nowhere need not be named at all", async () => {
  expect(await hintFor(tinyImage, `redis:${missing}`)).toContain(
    "remove `services.redis.image` from sett.yml",
  );
}, 120_000);
