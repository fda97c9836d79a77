// Shows what is said where a request or a command names the API in a way that cannot be right.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { askApi } from "../../../lib/client/remote/api-client.ts";
import { apiOf } from "../../../lib/client/remote/instance.ts";
import { serve } from "../../../lib/service/serve.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import { errorOf } from "../../support/error-of.ts";

let folder: string;
let secure: ReturnType<typeof serve>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-address-"));
  const files = ["-keyout", `${folder}/key.pem`, "-out", `${folder}/cert.pem`];
  const names = "subjectAltName=IP:127.0.0.1";
  await $`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=x -addext ${names} ${files}`.quiet();
  const [cert, key] = await Promise.all(
    ["cert", "key"].map((name) => Bun.file(`${folder}/${name}.pem`).text()),
  );
  const tls = { cert: cert ?? "", key: key ?? "" };
  secure = serve({ port: 0, hostname: "127.0.0.1", tls }, () => new Response("{}"));
});

afterAll(async () => {
  await secure.stop();
  await rm(folder, { recursive: true, force: true });
});

test("a request that names no host is refused, and nothing has failed", async () => {
  await using scene = await ApiScene.start({ coder: {} }, { orchestrator: false });
  const server = serve({ port: 0, hostname: "127.0.0.1" }, (request) => scene.app.fetch(request));
  const socket = connect(server.port ?? 0, "127.0.0.1");
  await once(socket, "connect");
  socket.write("GET /v1/instance HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n");
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  const answer = Buffer.concat(chunks).toString();
  expect(answer).toMatch(/^HTTP\/1\.1 422 /);
  expect(answer).toContain("The request names no host.");
  await server.stop();
});

test("where only some names lead to the API, a request for another host is refused, whatever token it has", async () => {
  const hostNames = ["127.0.0.1", "localhost", "[::1]"];
  await using scene = await ApiScene.start(
    { coder: {} },
    { orchestrator: false, deps: { hostNames } },
  );
  for (const host of ["127.0.0.1", "localhost:9000", "LOCALHOST", "[::1]:80"])
    expect(await scene.get("/v1/instance", { headers: { host } })).toMatchObject({ status: 200 });
  for (const host of ["rebound.example.org", "127.0.0.1.example.org:8443", "localhost.", "0.0.0.0"])
    for (const path of ["/v1/instance", "/healthz", "/?token=x", "/mcp"])
      expect(await scene.get(path, { headers: { host } })).toMatchObject({
        status: 421,
        body: { code: "wrong-host" },
      });
  const { body } = await scene.get("/v1/instance", { headers: { host: "rebound.example.org" } });
  expect(body).toMatchObject({
    detail:
      "The request is for rebound.example.org, and here answers 127.0.0.1, localhost, [::1] alone.",
    hint: "Use one of these names: 127.0.0.1, localhost, [::1].",
  });
});

test("an address of SETT_API with more than a host and its port is refused: the token would go to another program", () => {
  for (const more of ["/x/y", "/?a=b", "/#a"]) {
    const read = () => apiOf({ SETT_API: `https://sett.example.org${more}`, SETT_API_TOKEN: "t" });
    expect(read).toThrow("SETT_API has more than a host and its port.");
  }
  expect(() => apiOf({ SETT_API: "https://ada@sett.example.org", SETT_API_TOKEN: "t" })).toThrow(
    "more than a host",
  );
  expect(apiOf({ SETT_API: "https://sett.example.org:8443/", SETT_API_TOKEN: "t" })?.token).toBe(
    "t",
  );
});

test("a token that no header can have is named, and not the API", () => {
  const read = (token: string) =>
    apiOf({ SETT_API: "https://sett.example.org", SETT_API_TOKEN: token })?.token;
  for (const token of ["…", "one\ntwo", "one two"])
    expect(() => read(token)).toThrow("SETT_API_TOKEN is no token");
  expect(read("token\r\n")).toBe("token");
});

test("a certificate without a known signature, and a port that wants one, are named with what to do", async () => {
  const ask = (url: string) => errorOf(askApi({ url, token: "t" }, { path: "/v1/instance" }));
  expect((await ask(`https://127.0.0.1:${secure.port}`)).message).toContain("NODE_EXTRA_CA_CERTS");
  const insecure = await ask(`http://127.0.0.1:${secure.port}`);
  expect(insecure.message).not.toContain("verbose: true");
  expect(insecure.message).toContain("https://");
  const ending = createServer((_, answer) => answer.destroy()).listen(0, "127.0.0.1");
  await once(ending, "listening");
  const address = ending.address();
  const port = typeof address === "object" ? address?.port : undefined;
  expect((await ask(`http://127.0.0.1:${port}`)).message).not.toContain("verbose: true");
  ending.close();
});
