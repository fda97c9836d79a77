import { expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { findCluster } from "../../../../../lib/runtime/kubernetes/kubeconfig.ts";
import { configFolder } from "../../../../support/config/config-file.ts";

const text = `
current-context: home
clusters:
  - { name: one, cluster: { server: "https://one.example.org:6443/", certificate-authority: ca.pem } }
contexts:
  - { name: home, context: { cluster: one, user: ada, namespace: letters } }
  - { name: away, context: { cluster: one, user: plugin } }
  - { name: guest, context: { cluster: one, user: guest } }
users:
  - { name: ada, user: { token: secret-word } }
  - { name: guest, user: { token: secret-word, as: grace } }
  - { name: plugin, user: { exec: { apiVersion: client.authentication.k8s.io/v1, command: ./plugin.sh } } }
`;

async function kubeconfig() {
  const plugin = `#!/bin/sh\necho '{"status":{"token":"of a plug-in"}}'\n`;
  const made = await configFolder({ config: text, "ca.pem": "PEM", "plugin.sh": plugin });
  await chmod(join(made.folder, "plugin.sh"), 0o755);
  const env = { KUBECONFIG: join(made.folder, "config"), PATH: process.env.PATH };
  return { env, folder: made.folder, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
}

test("the current context names the server, its authority and who asks", async () => {
  await using made = await kubeconfig();
  const access = await findCluster(made.env, undefined);
  expect(access).toMatchObject({ server: "https://one.example.org:6443", ca: "PEM" });
  expect(await access.credential()).toEqual({ authorization: "Bearer secret-word" });
});

test("a plug-in beside the kubeconfig gives the credential", async () => {
  await using made = await kubeconfig();
  const access = await findCluster(made.env, "away");
  expect(await access.credential()).toEqual({ authorization: "Bearer of a plug-in" });
});

test("a user who acts as another one is refused, and not taken for the first", async () => {
  await using made = await kubeconfig();
  await expect(findCluster(made.env, "guest")).rejects.toThrow(/guest acts as another one/);
});

test("a context that is not there is refused with those that are", async () => {
  await using made = await kubeconfig();
  await expect(findCluster(made.env, "nowhere")).rejects.toThrow(
    /no context nowhere; it knows home, away, guest/,
  );
  await expect(findCluster({ KUBECONFIG: join(made.folder, "none") }, undefined)).rejects.toThrow(
    /There is no/,
  );
});
