// Signatures of texts by keys of SSH, as `ssh-keygen -Y sign` makes them: the format SSHSIG. Pure.
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { isSignedBy, readSshKey } from "./public-key.ts";
import { base64Bytes, WireReader, wireString } from "./wire.ts";

/** `key`: the public key by which it says that it was made, as SSH writes it. */
export type SshSignature = {
  key: Buffer;
  namespace: string;
  reserved: Buffer;
  digest: "sha256" | "sha512";
  signature: Buffer;
};

const magic = "SSHSIG";
const version = 1;
/** One of a large RSA key has 5 KB. */
const maxBytes = 16_384;
const armour =
  /^-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+/=]{1,76}\n)+)-----END SSH SIGNATURE-----\n?$/;

/** Undefined where it has not the form. */
export function readSshSignature(text: string): SshSignature | undefined {
  const base64 = text.length > maxBytes ? undefined : armour.exec(text)?.[1];
  const bytes = base64 === undefined ? undefined : base64Bytes(base64.replaceAll("\n", ""));
  if (bytes === undefined) return undefined;
  const wire = new WireReader(bytes);
  const isForm = wire.bytes(magic.length).toString("latin1") === magic && wire.number() === version;
  const [key, namespace, reserved] = [wire.string(), wire.string(), wire.string()];
  const [digest, signature] = [wire.text(), wire.string()];
  if (!isForm || !wire.isAtEnd || (digest !== "sha256" && digest !== "sha512")) return undefined;
  return { key, namespace: namespace.toString("latin1"), reserved, digest, signature };
}

/** Whether the key that it names has signed these bytes. */
export function isSignatureOf(
  { key, namespace, reserved, digest, signature }: SshSignature,
  content: Uint8Array,
): boolean {
  const read = readSshKey(key);
  return (
    read !== undefined &&
    isSignedBy(read, signedBytes(content, { namespace, reserved, digest }), signature)
  );
}

/** The key signs these bytes in the place of the content. */
export function signedBytes(
  content: Uint8Array,
  { namespace, reserved, digest }: Pick<SshSignature, "namespace" | "reserved" | "digest">,
): Buffer {
  return Buffer.concat([
    Buffer.from(magic),
    wireString(Buffer.from(namespace, "latin1")),
    wireString(reserved),
    wireString(digest),
    wireString(hash(digest, content, "buffer")),
  ]);
}
