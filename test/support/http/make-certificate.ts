// Certificates for servers of tests, each with an authority of its own.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";

/** The files are in the folder, as docker names them, and the authority's key is `ca.key`. */
export async function makeCertificate(folder: string, names: string, isExpired: boolean) {
  await $`openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=authority -days 2`
    .cwd(folder)
    .quiet();
  return { ca: join(folder, "ca.pem"), ...(await signCertificate(folder, names, isExpired)) };
}

/** Another one of the authority that is in the folder, in the place of the one before. */
export async function signCertificate(folder: string, names: string, isExpired: boolean) {
  const at = (name: string) => join(folder, name);
  await writeFile(at("names"), `subjectAltName=${names}\n`);
  const days = isExpired ? "-1" : "2";
  await $`openssl req -newkey rsa:2048 -nodes -keyout key.pem -out request -subj /CN=server`
    .cwd(folder)
    .quiet();
  await $`openssl x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days ${days} -extfile names`
    .cwd(folder)
    .quiet();
  return { cert: at("cert.pem"), key: at("key.pem") };
}
