// A company's proxy, behind which all other hosts are: webhooks, traces and the identity provider
// go through it, and programs of this machine do not.
import { expect, setDefaultTimeout, test } from "bun:test";
import { startSmallProxy } from "../support/http/small-proxy.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import { startHookReceiver } from "../support/world/hook-receiver.ts";

setDefaultTimeout(300_000);

const releaser = `echo '{"structural_type":"Terminal","artefact_type":"Released","artefact_payload":"1.2.0","summary":"Released 1.2.0"}'`;
const wants = "    bids: [{ on: GoalDefined, bid: exclusive }]\n";
const around = (port: number, own: string) => `services:
  api:
    port: ${port}
    oidc: { issuer: "https://id.company.test", audience: sett, rights: { everyone: [read] }, claim: groups }
notify:
  - { url: "http://hooks.company.test/one", secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, on: [achieved] }
  - { url: "${own}/own", secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw, on: [achieved] }
`;

function freePort(): number {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  return server.port ?? 0;
}

test("webhooks, traces and the identity provider are reached through the proxy of `sett up`, this machine without it", async () => {
  using receiver = startHookReceiver();
  using own = startHookReceiver();
  const traced: string[] = [];
  using traces = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: ({ url }) => {
      traced.push(new URL(url).pathname);
      return new Response();
    },
  });
  await using proxy = await startSmallProxy({
    "hooks.company.test": receiver.port,
    "traces.company.test": traces.port ?? 0,
  });
  const port = freePort();
  await using sett = await SettWorkspace.create({
    ...scriptAgent("releaser", releaser),
    "sett.yml": settYml({ releaser: wants }, around(port, own.url)),
  });
  sett.env = {
    ...{ HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url },
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://traces.company.test:4318",
  };
  await sett.need("up", "--name", sett.name, "--runtime", "process");
  const goal = await sett.forage("Release it");
  const posted = await waitFor("the webhook", () => receiver.received[0]);
  expect(posted).toMatchObject({ path: "/one", body: { goal: { id: goal } } });
  await waitFor("the one on this machine", () => own.received[0]);
  await waitFor("the traces", () => traced[0]);

  const part = (text: object) => Buffer.from(JSON.stringify(text)).toString("base64url");
  const claims = { iss: "https://id.company.test", aud: "sett", exp: 4_000_000_000, sub: "ada" };
  const token = `${part({ alg: "RS256", kid: "one" })}.${part(claims)}.AAAA`;
  const authorization = `Bearer ${token}`;
  const answer = await fetch(`http://127.0.0.1:${port}/v1/goals`, { headers: { authorization } });
  expect(answer.status).not.toBe(200);
  await waitFor("the identity provider to be looked for", () =>
    proxy.requests.includes("CONNECT id.company.test:443"),
  );
  expect(new Set(proxy.requests)).toEqual(
    new Set([
      "POST hooks.company.test:80",
      "POST traces.company.test:4318",
      "CONNECT id.company.test:443",
    ]),
  );
  expect(await sett.need("doctor", "--name", sett.name)).toContain("through the proxy");
});
