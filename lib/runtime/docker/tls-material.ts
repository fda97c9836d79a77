// Reads what TLS with an Engine needs: the authority, and the certificate and key of this client.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SettError } from "../../model/errors.ts";
import type { TlsFiles } from "./find-engine.ts";

/** In PEM; a member is undefined where there is no such file. */
export type TlsMaterial = {
  ca: string | undefined;
  cert: string | undefined;
  key: string | undefined;
};

/**
 * Without ca.pem, the authorities count that everybody knows. `by`: what has named the Engine.
 * Throws `docker-unreachable`.
 */
export async function readTls({ folder }: TlsFiles, by: string): Promise<TlsMaterial> {
  const refuse = (problem: string, cause?: unknown) => {
    const message = `The Docker Engine is named by ${by}, whose TLS cannot be used: ${problem}.`;
    return new SettError("docker-unreachable", message, {
      hint: "DOCKER_CERT_PATH is a folder with ca.pem, cert.pem and key.pem; a context keeps them itself (`docker context create`).",
      cause,
    });
  };
  const read = async (name: string) => {
    try {
      return await readFile(join(folder, name), "utf8");
    } catch (cause) {
      if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
      throw refuse(messageOf(cause), cause);
    }
  };
  const [ca, cert, key] = [await read("ca.pem"), await read("cert.pem"), await read("key.pem")];
  if ((cert === undefined) !== (key === undefined))
    throw refuse(`${folder} has ${cert === undefined ? "key.pem" : "cert.pem"} alone`);
  return { ca, cert, key };
}
