import { describe, expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { isSignatureOf, readSshSignature } from "../../../../../lib/proof/ssh/signature.ts";
import { armoured, sshKinds, sshSigner } from "../../../../support/proof/ssh-signer.ts";

const text = "It is right.";
const isSigned = (armour: string, content = text) => {
  const read = readSshSignature(armour);
  return read !== undefined && isSignatureOf(read, Buffer.from(content));
};

describe("a signature of SSH", () => {
  test.each(sshKinds)("of %s is one of its bytes alone", (kind) => {
    const signer = sshSigner(kind);
    for (const digest of ["sha256", "sha512"] as const) {
      const armour = signer.sign(text, { digest });
      expect(readSshSignature(armour)?.key).toEqual(signer.blob);
      expect(isSigned(armour)).toBe(true);
      expect(isSigned(armour, `${text} `)).toBe(false);
    }
  });

  test("is of its namespace, and of its key", () => {
    const [signer, other] = [sshSigner(), sshSigner()];
    const read = readSshSignature(signer.sign(text, { namespace: "git" }));
    if (read === undefined) throw new Error("it cannot be read");
    expect(read.namespace).toBe("git");
    expect(isSigned(armoured(read))).toBe(true);
    expect(isSigned(armoured({ ...read, namespace: "file" }))).toBe(false);
    expect(isSigned(armoured({ ...read, key: other.blob }))).toBe(false);
    expect(isSigned(armoured({ ...read, digest: "sha256" }))).toBe(false);
    expect(isSigned(armoured({ ...read, reserved: Buffer.from("x") }))).toBe(false);
  });

  test("of a device that was not touched is none", () => {
    const signer = sshSigner("sk-ssh-ed25519@openssh.com");
    expect(isSigned(signer.sign(text, { flags: 0 }))).toBe(false);
    expect(isSigned(signer.sign(text, { flags: 5 }))).toBe(true);
  });

  test("without its form is none, whatever it is", () => {
    const armour = sshSigner("ecdsa-sha2-nistp521").sign(text);
    const read = readSshSignature(armour);
    if (read === undefined) throw new Error("it cannot be read");
    expect(isSigned(armour.trimEnd())).toBe(true);
    const wrong = [
      "",
      armour.replaceAll("\n", "\r\n"),
      armour.replace("SSH", "PGP"),
      ` ${armour}`,
      `${armour}${armour}`,
      armour.replace("U1NI", "U1NJ"),
      armour.replace(/\n(?=-----END)/, "A\n"),
      armour.repeat(1000),
      armoured({ ...read, digest: "sha1" }),
      armoured({ ...read, key: Buffer.from("key") }),
      armoured({ ...read, signature: read.signature.subarray(1) }),
      armoured({ ...read, signature: Buffer.concat([read.signature, Buffer.from("x")]) }),
      armoured({ ...read, signature: Buffer.alloc(0) }),
    ];
    expect(wrong.map((one) => isSigned(one))).toEqual(wrong.map(() => false));
  });
});
