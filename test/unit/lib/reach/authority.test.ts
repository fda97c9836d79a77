// The certificates of a service that is reached by TLS, as other programs judge them.
import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { authorityOf } from "../../../../lib/reach/authority.ts";

const key = "5e".repeat(32);
const hour = 3_600_000;
const times = { notBefore: new Date(Date.now() - hour), notAfter: new Date(Date.now() + hour) };

test("an authority follows from its key: the same each time, another for another key", () => {
  expect(authorityOf(key).certificate).toEqual(authorityOf(key).certificate);
  expect(authorityOf(key).certificate).not.toEqual(authorityOf("07".repeat(32)).certificate);
});

test("OpenSSL takes what it signs for a server's certificate, by its strict rules", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-authority-"));
  const authority = authorityOf(key);
  await Bun.write(join(folder, "ca.pem"), new X509Certificate(authority.certificate).toString());
  await Bun.write(join(folder, "own.pem"), authority.issue(times).cert);
  const words = ["-x509_strict", "-purpose", "sslserver", "-verify_hostname", "service.sett"];
  const said = await $`openssl verify ${words} -CAfile ca.pem own.pem`.cwd(folder).text();
  expect(said).toBe("own.pem: OK\n");
  await rm(folder, { recursive: true });
});

test("each has a number, a key and times of its own, and signs no other", () => {
  const authority = authorityOf(key);
  const [one, two] = [authority.issue(times), authority.issue(times)];
  const [first, second] = [new X509Certificate(one.cert), new X509Certificate(two.cert)];
  expect(first.serialNumber).not.toBe(second.serialNumber);
  expect(one.key).not.toBe(two.key);
  expect(first.ca).toBeFalse();
  expect(Math.abs(first.validToDate.getTime() - times.notAfter.getTime())).toBeLessThan(1_000);
});
