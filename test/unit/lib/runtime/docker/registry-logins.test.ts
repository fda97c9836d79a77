import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  findLogin,
  isOfPull,
  knownRegistries,
  loginHint,
  registryName,
  registryOf,
} from "../../../../../lib/runtime/docker/registry-logins.ts";

const hub = "https://index.docker.io/v1/";

async function settings(config: object | string) {
  const path = await mkdtemp(join(tmpdir(), "sett-logins-"));
  await writeFile(
    join(path, "config.json"),
    typeof config === "string" ? config : JSON.stringify(config),
  );
  return {
    env: { DOCKER_CONFIG: path },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

test.each([
  ["debian", hub],
  ["debian:bookworm", hub],
  ["team/tool", hub],
  ["docker.io/library/debian", hub],
  ["index.docker.io/team/tool", hub],
  ["localhost/tool", "localhost"],
  ["localhost:5000/a/b/c@sha256:00", "localhost:5000"],
  ["ghcr.io/team/tool:v1", "ghcr.io"],
  ["Registry/team/tool", "Registry"],
  ["LOCALHOST/tool", "LOCALHOST"],
  ["Docker.io/team/tool", "Docker.io"],
  ["docker.io.example.org/team/tool", "docker.io.example.org"],
  ["docker.io:443/team/tool", "docker.io:443"],
])("the image %s comes from %s", (image, registry) => {
  expect(registryOf(image)).toBe(registry);
});

test("docker's settings are read in every form that docker has written", async () => {
  const auth = btoa("ada:a:b");
  await using made = await settings({
    Auths: {
      [hub]: { auth },
      "https://old.example.org/v1/": { auth: btoa("ada:x\0\0") },
      "plain.example.org": { username: "grace", password: "y" },
      "azure.example.org": {
        auth: btoa("00000000-0000-0000-0000-000000000000:"),
        identitytoken: "t",
      },
      "empty.example.org": {},
    },
  });
  const loginOf = async (registry: string) => (await findLogin(registry, made.env)).login;
  expect(await loginOf(hub)).toMatchObject({ username: "ada", password: "a:b" });
  expect(await loginOf("old.example.org")).toMatchObject({ username: "ada", password: "x" });
  expect(await loginOf("plain.example.org")).toMatchObject({ username: "grace", password: "y" });
  expect(await loginOf("azure.example.org")).toEqual({
    ...{ serveraddress: "azure.example.org", identitytoken: "t" },
  });
  for (const registry of ["empty.example.org", "example.org", "xold.example.org"])
    expect(await loginOf(registry)).toBeUndefined();
  expect(await knownRegistries(made.env)).toContain("old.example.org");
  const withVariable = {
    ...made.env,
    DOCKER_AUTH_CONFIG: JSON.stringify({ auths: { "old.example.org": { auth } } }),
  };
  expect((await findLogin("old.example.org", withVariable)).login).toMatchObject({
    password: "a:b",
  });
});

test.each(["", "{", "[]", "null", '{"auths": 3}', '{"auths": {"a.b": "x"}, "credHelpers": []}'])(
  "settings that say nothing, such as %s, are no login",
  async (text) => {
    await using made = await settings(text);
    expect(await findLogin("a.b", made.env)).toEqual({ registry: "a.b" });
  },
);

test("only what a registry refuses has a sentence about logins", () => {
  const found = [{ registry: hub }, { registry: "a.example.org" }];
  expect(loginHint("manifest for a.example.org/x:1 not found", found)).toBeUndefined();
  expect(loginHint("Get https://a.example.org/v2/: unauthorized", found)).toBe(
    "docker has no login for a.example.org, which a private image needs: `docker login a.example.org`. Sett uses what docker knows.",
  );
  expect(loginHint("pull access denied for x", found)).toContain("`docker login docker.io`");
  expect(registryName(hub)).toBe("docker.io");
});

// In the words of BuildKit in an Engine 20.10, and of the docker beside it.
test.each([
  "failed to solve with frontend dockerfile.v0: failed to create LLB definition: pulling from host a.example.org failed with status code [manifests 1]: 401 Unauthorized",
  "failed to load cache key: pulling from host a.example.org failed with status code [manifests 1]: 401 Unauthorized",
  "failed to create LLB definition: rpc error: code = Unknown desc = error getting credentials - err: docker-credential-none resolves to executable in current directory, out: ``",
  "failed to authorize: failed to fetch anonymous token: unexpected status: 401 Unauthorized",
])("what BuildKit says of a registry that asks for a login leads to one: %s", (reason) => {
  expect(isOfPull(reason)).toBe(true);
  expect(loginHint(reason, [{ registry: "a.example.org" }])).toContain("`docker login");
});

test("a failure of a step is none of a pull, whatever its script says", () => {
  const script = "/bin/sh -c echo pulling from host a.example.org: 401 Unauthorized; exit 3";
  expect(isOfPull(`executor failed running [${script}]: exit code: 3`)).toBe(false);
  expect(isOfPull(`process "${script}" did not complete successfully: exit code: 3`)).toBe(false);
});
