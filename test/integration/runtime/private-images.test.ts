// Images of a registry that wants a login: the Engine gets the one that docker has, from its
// settings or from a helper, and a refusal says what is missing.
import { expect, test } from "bun:test";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import type { BuildSpec } from "../../../lib/runtime/port.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { account, privateRegistry } from "../../support/docker/private-registry.ts";
import { docker, tinyImage } from "../../support/docker/tiny-image.ts";

const timeLimitMs = 600_000;
const quiet = { onProgress: () => {} };

type Env = Record<string, string>;
const imagesAs = async (env: Env) =>
  (await dockerRuntime({ env: { ...process.env, ...env } })).engine.images;

async function contextOf(dockerfile: string) {
  const path = await mkdtemp(join(tmpdir(), "sett-private-"));
  await writeFile(join(path, "Dockerfile"), dockerfile);
  const spec = (tag: string, args = {}): BuildSpec => ({
    ...{ contextDir: path, dockerfile: "Dockerfile", args, tag, labels: {} },
  });
  return { spec, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test(
  "what a build begins with, and what it copies from, may be private",
  async () => {
    await using sett = await dockerInstance();
    await using registry = await privateRegistry();
    const images = await imagesAs(registry.login);
    const wanted = [
      [`FROM ${registry.image}\n`, {}],
      [`FROM ${tinyImage}\nCOPY --from=${registry.image} /bin/busybox /other\n`, {}],
      ["ARG HOST\nFROM $HOST/team/base:1\n", { HOST: registry.host }],
    ] as const;
    for (const [at, [dockerfile, args]] of wanted.entries()) {
      await docker("rmi", "--force", registry.image);
      await using context = await contextOf(dockerfile);
      const tag = sett.imageTag(`private-${at}`);
      expect((await images.build(context.spec(tag, args), quiet)).id).toStartWith("sha256:");
    }
  },
  timeLimitMs,
);

test(
  "a login that a helper keeps is asked for, and one that cannot be had is named",
  async () => {
    await using _sett = await dockerInstance();
    await using registry = await privateRegistry();
    const { host, folder, image } = registry;
    const helper = join(folder, "docker-credential-sett-test");
    const env = {
      ...(await registry.config("helped", { credHelpers: { [host]: "sett-test" } })),
      PATH: `${folder}:${process.env.PATH}`,
    };
    const failure = async () => await (await imagesAs(env)).pull(image, quiet).catch((e) => e);
    expect((await failure()).hint).toContain(
      "`docker-credential-sett-test`, and this program is not",
    );
    const answers = async (script: string) => {
      await writeFile(helper, `#!/bin/sh\nread -r server\n${script}\n`);
      await chmod(helper, 0o755);
    };
    await answers("echo 'the keyring is locked'; exit 1");
    expect((await failure()).hint).toContain("it says: the keyring is locked.");
    await answers("echo 'credentials not found in native keychain'; exit 1");
    expect((await failure()).hint).toContain(`docker has no login for ${host}`);
    await answers(
      `[ "$1 $server" = "get ${host}" ] && echo '{"Username":"${account.username}","Secret":"${account.password}"}'`,
    );
    expect(await (await imagesAs(env)).pull(image, quiet)).toMatchObject({
      digest: expect.stringContaining(host),
    });
  },
  timeLimitMs,
);

test(
  "a refusal says whether docker has a login, and never what it is",
  async () => {
    await using sett = await dockerInstance();
    await using registry = await privateRegistry();
    const { host, image } = registry;
    const none = await registry.config("none", {});
    const wrong = await registry.config("wrong", {
      auths: { [`https://${host}/v1/`]: { auth: btoa("grace:not-the-word") } },
    });
    await using context = await contextOf(`FROM ${image}\n`);
    const cases = [
      [
        none,
        `docker has no login for ${host}, which a private image needs: \`docker login ${host}\``,
      ],
      [wrong, `Sett has sent docker's login of grace, with which ${host} does not give it`],
    ] as const;
    for (const [env, sentence] of cases) {
      const images = await imagesAs(env);
      const pulled = await images.pull(image, quiet).catch((e) => e);
      const built = await images.build(context.spec(sett.imageTag("x")), quiet).catch((e) => e);
      expect([pulled.code, built.code]).toEqual(["image-not-found", "build-failed"]);
      for (const { hint, message } of [pulled, built]) {
        expect(hint).toContain(sentence);
        expect(hint + message).not.toContain("not-the-word");
      }
    }
  },
  timeLimitMs,
);

test(
  "an image is pushed with that login, and is known to be there until the registry has lost it",
  async () => {
    await using sett = await dockerInstance();
    await using registry = await privateRegistry();
    const images = await imagesAs(registry.login);
    await using context = await contextOf(`FROM ${tinyImage}\nLABEL of=${sett.imageTag("x")}\n`);
    const repository = `${registry.host}/team/made`;
    await images.build(context.spec(`${repository}:1`), quiet);
    const digest = `${repository}@${await images.push(`${repository}:1`, quiet)}`;
    expect(await images.isPushed(digest)).toBeTrue();
    expect(await (await imagesAs(await registry.config("none", {}))).isPushed(digest)).toBeFalse();
    await rm(join(registry.folder, "data"), { recursive: true });
    expect(await images.isPushed(digest)).toBeFalse();
    await images.untag(`${repository}:1`);
  },
  timeLimitMs,
);
