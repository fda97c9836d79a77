// Shows what is masked: values of secrets, as they are and in the encodings that programs print.
import { describe, expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { maskerOf } from "../../../../../apps/cub/secrets/masker.ts";

const masker = (values: Record<string, string | Uint8Array>) =>
  maskerOf(new Map(Object.entries(values).map(([name, value]) => [name, Buffer.from(value)])));

const token = 'tok"en/1+2 é\\x';
const one = masker({ token });

const encodings: [string, string][] = [
  ["as it is", token],
  ["JSON", JSON.stringify(token)],
  ["JSON in JSON", JSON.stringify(token).slice(1, -1)],
  ["JSON with escaped slashes", JSON.stringify(token).replaceAll("/", "\\/")],
  ["JSON in ASCII", JSON.stringify(token).replace("é", "\\u00e9")],
  ["a URL", encodeURIComponent(token)],
  ["a URL in lower case", encodeURIComponent(token).toLowerCase()],
  ["a form", new URLSearchParams({ a: token }).toString()],
  ["HTML", token.replaceAll('"', "&quot;")],
  ["base64", Buffer.from(token).toString("base64")],
  ["base64 for URLs", Buffer.from(token).toString("base64url")],
  ["base64 of a header", Buffer.from(`user:${token}`).toString("base64")],
  ["base64 of a longer header", Buffer.from(`users:${token}:x`).toString("base64")],
  ["base64 of another header", Buffer.from(`userss:${token}:xy`).toString("base64")],
  ["hexadecimal", Buffer.from(token).toString("hex")],
  ["hexadecimal in capitals", Buffer.from(token).toString("hex").toUpperCase()],
];

test.each(encodings)("a value in %s", (_, text) => {
  const masked = one.text(`before ${text} after`);
  expect(masked).toContain("[secret token]");
  expect(masked).toStartWith("before ");
  expect(masked).toEndWith(" after");
  expect(one.find(Buffer.from(text))).toBe("token");
});

test("base64 leaves no more than the neighbours of a value", () => {
  const masked = one.text(Buffer.from(`user:${token}:after`).toString("base64"));
  const [before = "", after = ""] = masked.split("[secret token]");
  expect(Buffer.from(before, "base64").toString("latin1")).toMatch(/^user:.?$/);
  expect(before.length + after.length).toBeLessThanOrEqual(20);
});

test("all of several secrets, each by its name, wherever they are", () => {
  const two = masker({ first: "aaaaaaaa1", second: "bbbbbbbb2" });
  expect(two.text("aaaaaaaa1bbbbbbbb2 x bbbbbbbb2")).toBe("[secret first] x [secret second]");
});

test("what is no secret stays as it is, byte for byte", () => {
  const bytes = randomBytes(4096);
  expect(one.bytes(bytes)).toBe(bytes);
  const mixed = Buffer.concat([bytes, Buffer.from(token), bytes]);
  expect(Buffer.from(one.bytes(mixed))).toEqual(
    Buffer.concat([bytes, Buffer.from("[secret token]"), bytes]),
  );
  expect(one.text("naïve 😀")).toBe("naïve 😀");
});

test("a newline at the end of a file is no part of the value", () => {
  expect(masker({ token: "0123456789\n" }).text("0123456789!")).toBe("[secret token]!");
});

test("bytes that are no text", () => {
  const value = Uint8Array.from([0xff, 0x00, 0xfe, 1, 2, 3, 4, 5, 6, 0x80]);
  const own = masker({ raw: value });
  expect(own.find(Buffer.from(Buffer.from(value).toString("base64")))).toBe("raw");
  expect(Buffer.from(own.bytes(value)).toString()).toBe("[secret raw]");
});

describe("a private key", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const own = masker({ key: pem });
  const lines = pem.trim().split("\n");

  test("is masked whole, in JSON, and by single lines", () => {
    for (const text of [
      pem,
      JSON.stringify(pem),
      lines[5] ?? "",
      pem.replaceAll("\n", "\r\n"),
      lines.slice(1, -1).join(""),
    ]) {
      const rest = own.text(text);
      expect(rest).toContain("[secret key]");
      for (const line of lines.slice(1, -2)) expect(rest).not.toContain(line.slice(0, 24));
    }
  });

  test("is masked in base64, in one line or in several, and in hexadecimal", () => {
    const encoded = Buffer.from(pem).toString("base64");
    const wrapped = encoded.replace(/.{76}/g, "$&\n");
    for (const text of [
      encoded,
      wrapped,
      JSON.stringify(wrapped),
      Buffer.from(pem).toString("hex"),
    ]) {
      expect(own.text(text).replaceAll("[secret key]", "").length).toBeLessThan(24);
    }
  });

  test("leaves the lines that every key has", () => {
    expect(own.text("-----BEGIN PRIVATE KEY-----\n")).toBe("-----BEGIN PRIVATE KEY-----\n");
  });
});

test("without secrets nothing changes", () => {
  expect(masker({}).text("a")).toBe("a");
  expect(masker({}).find(Buffer.from("a"))).toBeUndefined();
});
