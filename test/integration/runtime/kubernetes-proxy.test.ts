// The cluster of a company whose API server only its proxy reaches (`proxy-url` of a kubeconfig).
import { expect, test } from "bun:test";
import { join } from "node:path";
import { execInPod } from "../../../lib/runtime/kubernetes/channels.ts";
import { KubeClient } from "../../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../../lib/runtime/kubernetes/kubeconfig.ts";
import { configFolder } from "../../support/config/config-file.ts";
import { makeCertificate } from "../../support/http/make-certificate.ts";
import { startSmallProxy } from "../../support/http/small-proxy.ts";

async function kubeconfig(cluster: object) {
  const made = await configFolder({
    config: JSON.stringify({
      "current-context": "here",
      clusters: [{ name: "one", cluster }],
      contexts: [{ name: "here", context: { cluster: "one", user: "ada" } }],
      users: [{ name: "ada", user: { token: "word" } }],
    }),
  });
  return { ...made, env: { KUBECONFIG: join(made.folder, "config") } };
}

test("requests and streams go by the proxy of the kubeconfig, and TLS is with the server itself", async () => {
  await using folder = await configFolder({});
  const paths = await makeCertificate(folder.folder, "DNS:cluster.example.org", false);
  const tls = { cert: Bun.file(paths.cert), key: Bun.file(paths.key) };
  const status = Buffer.concat([Buffer.from([3]), Buffer.from('{"status":"Success"}')]);
  const authorizations: (string | null)[] = [];
  using server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", tls },
    fetch: (request, own) => {
      authorizations.push(request.headers.get("authorization"));
      if (own.upgrade(request)) return undefined;
      return Response.json({ gitVersion: "v1" });
    },
    websocket: {
      message: (socket, bytes) => {
        if (bytes[0] === 255) socket.send(status);
      },
    },
  });
  await using proxy = await startSmallProxy({ "cluster.example.org": server.port ?? 0 });
  await using made = await kubeconfig({
    server: "https://cluster.example.org",
    "certificate-authority": paths.ca,
    "proxy-url": proxy.url,
  });
  const client = new KubeClient(await findCluster(made.env, undefined));
  expect(await client.json("/version")).toEqual({ gitVersion: "v1" });
  const ended = await execInPod(client, { namespace: "team", pod: "one" }, ["true"]);
  expect(ended.exitCode).toBe(0);
  expect(authorizations).toEqual(["Bearer word", "Bearer word"]);
  expect(new Set(proxy.requests)).toEqual(new Set(["CONNECT cluster.example.org:443"]));
});

test("a proxy that does not answer is named, without its password", async () => {
  await using made = await kubeconfig({
    server: "https://cluster.example.org",
    "proxy-url": "http://ada:open-sesame@127.0.0.1:1",
  });
  const client = new KubeClient(await findCluster(made.env, undefined));
  const error = await client.json("/version").catch((thrown: unknown) => thrown);
  expect(String(error)).toContain("by the proxy 127.0.0.1:1");
  expect(JSON.stringify(error) + String(error)).not.toContain("open-sesame");
});

test("a proxy of a kind that is not known is refused with those that are", async () => {
  await using made = await kubeconfig({
    server: "https://cluster.example.org",
    "proxy-url": "socks5://127.0.0.1:1080",
  });
  await expect(findCluster(made.env, undefined)).rejects.toMatchObject({
    code: "kubernetes-unreachable",
    hint: expect.stringContaining("SOCKS is not supported"),
  });
});
