// Time stamps of a real authority, `openssl ts`.
import { afterAll, expect, test } from "bun:test";
import { leadsToRoot, readPem } from "../../../../../lib/proof/outside/certificates.ts";
import { readTimeStamp, timeStampRequest } from "../../../../../lib/proof/outside/time-stamp.ts";
import { Authority } from "../../../../support/proof/authority.ts";

const authorities = {
  "ECDSA and SHA-256": new Authority(),
  "RSA and SHA-512": new Authority({ key: ["rsa:2048"], digest: "sha512" }),
  "ECDSA P-384 and SHA-384": new Authority({
    key: ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"],
    digest: "sha384",
  }),
};
afterAll(() => {
  for (const authority of Object.values(authorities)) authority[Symbol.dispose]();
});

for (const [name, authority] of Object.entries(authorities))
  test(`a time stamp is right for its content and leads to its root alone: ${name}`, () => {
    const { bytes, nonce } = timeStampRequest("what was seen");
    const before = Date.now();
    const reply = authority.stamp(bytes);
    const stamp = readTimeStamp(reply, "what was seen");
    if (typeof stamp === "string") throw new Error(stamp);
    expect(stamp.nonce).toBe(nonce);
    expect(stamp.signer.name).toBe("Clock one");
    expect(stamp.at.getTime()).toBeWithin(before - 2_000, Date.now() + 2_000);
    const leads = (pem: string, at = stamp.at) =>
      leadsToRoot(stamp.signer, { ...stamp, at, roots: readPem(pem) ?? [] });
    expect(leads(authority.root)).toBe(true);
    const others = Object.values(authorities).filter((one) => one !== authority);
    expect(others.map(({ root }) => leads(root))).toEqual(others.map(() => false));
    // Before the certificates were valid, and after.
    expect(leads(authority.root, new Date("2019-12-31"))).toBe(false);
    expect(leads(authority.root, new Date("2050-01-01"))).toBe(false);

    expect(readTimeStamp(reply, "something else")).toBe("It is a time stamp of something else.");
    expect(readTimeStamp(reply.subarray(0, -1), "what was seen")).toBe(
      "It is no time stamp of RFC 3161.",
    );
  });

test("what an authority refuses has its reason in the sentence", () => {
  // The policy that it asks for is one that the authority does not have.
  const { bytes } = timeStampRequest("what was seen");
  const imprint = bytes.subarray(2, 5 + 2 + bytes.readUInt8(6));
  const policy = Buffer.from("06032a0309", "hex");
  const content = Buffer.concat([imprint, policy, bytes.subarray(2 + imprint.length)]);
  const query = Buffer.concat([Buffer.of(0x30, content.length), content]);
  const reply = authorities["ECDSA and SHA-256"].stamp(query);
  expect(readTimeStamp(reply, "what was seen")).toBe(
    "The authority has refused it: Requested policy is not supported.",
  );
});

test("files without a certificate that can be read are refused", () => {
  const [body = ""] = /[A-Za-z0-9+/=\n]{100,}/.exec(authorities["ECDSA and SHA-256"].root) ?? [];
  for (const text of ["", body, `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`])
    expect(readPem(text)).toBeUndefined();
});
