// The certificate of the API: what is accepted, what is refused before anything starts, and what is
// warned of.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTls } from "../../../../../../apps/cli/up/secrets/read-tls.ts";
import { parseConfig } from "../../../../../../lib/config/parse-config.ts";
import { errorOf } from "../../../../../support/error-of.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-read-tls-"));
  for (const name of ["one", "two"]) {
    const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)];
    const kind = [
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "30",
      "-subj",
      "/CN=localhost",
    ];
    execFileSync("openssl", ["req", "-x509", ...kind, ...files], { stdio: "ignore" });
  }
  await writeFile(join(folder, "text"), "no PEM");
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

function configWith(tls: string) {
  const text = `version: '1.0'\nsecrets: { t: { file: ./t } }\nagents: { a: { image: "b:1", command: [run] } }\nservices: { api: { tls: ${tls}, tokens: [{ name: ci, secret: t, may: [read] }] } }\n`;
  const { config } = parseConfig({ text, file: "sett.yml", folder, host: {} });
  if (config === undefined) throw new Error("The configuration has mistakes.");
  return config;
}

test("both files are read, and their digest says when they have changed", async () => {
  const one = await readTls(configWith("{ cert: ./one.crt, key: ./one.key }"), Date.now());
  const two = await readTls(configWith("{ cert: ./two.crt, key: ./two.key }"), Date.now());
  expect(one).toMatchObject({
    tls: { cert: await readFile(join(folder, "one.crt"), "utf8") },
    warnings: [],
  });
  expect(one.tls?.id).toMatch(/^[0-9a-f]{32}$/);
  expect(two.tls?.id).not.toBe(one.tls?.id);
  expect(await readTls(configWith("none"), Date.now())).toEqual({ tls: undefined, warnings: [] });
});

test.each([
  ["{ cert: ./none.crt, key: ./one.key }", "services.api.tls.cert: ", "cannot be read"],
  ["{ cert: ./text, key: ./one.key }", "services.api.tls.cert: ", "is no certificate in PEM"],
  [
    "{ cert: ./one.crt, key: ./text }",
    "services.api.tls.key: ",
    "is no private key without a password in PEM",
  ],
  [
    "{ cert: ./one.crt, key: ./two.key }",
    "services.api.tls.key: ",
    "is not the key of the certificate",
  ],
])("%s is refused", async (tls, place, reason) => {
  const error = await errorOf(readTls(configWith(tls), Date.now()));
  expect(error).toMatchObject({ code: "config-invalid" });
  expect(`${error}`).toContain(place);
  expect(`${error}`).toContain(reason);
});

test("one that expires soon, or has expired, is warned of", async () => {
  const config = configWith("{ cert: ./one.crt, key: ./one.key }");
  const inDays = (days: number) => Date.now() + days * 86_400_000;
  expect((await readTls(config, inDays(20))).warnings).toEqual([
    `The certificate of the API expires in 9 days. Renew ${join(folder, "one.crt")}, and run \`sett up\` again.`,
  ]);
  expect((await readTls(config, inDays(40))).warnings[0]).toContain(
    "has expired: clients refuse it",
  );
});
