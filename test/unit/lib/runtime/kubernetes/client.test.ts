import { expect, test } from "bun:test";
import { SettError } from "../../../../../lib/model/errors.ts";
import { KubeClient } from "../../../../../lib/runtime/kubernetes/client.ts";
import { errorOf } from "../../../../support/error-of.ts";

/** What the client says of a request that the server refuses with these words. */
async function hintOf(message: string): Promise<string | undefined> {
  const status = { kind: "Status", status: "Failure", reason: "Forbidden", message };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json(status, { status: 403 }),
  });
  try {
    const client = new KubeClient({
      ...{ context: "one", namespace: "team", server: server.url.origin, ca: undefined },
      ...{ serverName: undefined, isUnverified: false },
      credential: async () => ({}),
    });
    const error = await errorOf(() => client.list("Secret", "team"));
    expect(error).toMatchObject({ code: "kubernetes-failed", status: 403 });
    return error instanceof SettError ? error.hint : undefined;
  } finally {
    await server.stop(true);
  }
}

test("a Role is the remedy only where the cluster says that the user may not", async () => {
  const denied = 'User "ada" cannot list resource "secrets" in API group ""';
  expect(await hintOf(`secrets is forbidden: ${denied}`)).toContain("a Role of yours");
  const exceeded = "exceeded quota: q, requested: secrets=1, used: secrets=2, limited: secrets=2";
  expect(await hintOf(`secrets "x" is forbidden: ${exceeded}`)).toContain(
    "kubectl --namespace team edit resourcequota q",
  );
  expect(await hintOf("secrets is forbidden")).toBeUndefined();
});
