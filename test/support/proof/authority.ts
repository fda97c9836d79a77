// An authority that stamps the time (RFC 3161): `openssl ts`, with a certificate of its own.
import type { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timeStampRequest } from "../../../lib/proof/outside/time-stamp.ts";

/** `-startdate` and `-enddate` of openssl. */
type Validity = { from: string; to: string };
type Kind = {
  validity?: Validity;
  /** The extensions of the certificate of the signer. */
  extensions?: string;
  digest?: string;
  key?: readonly string[];
};

const always = { from: "20200101000000Z", to: "20491231000000Z" };
const ca = ["ca", "-batch", "-notext", "-config", "config"];
const timesOf = ({ from, to }: Validity) => ["-startdate", from, "-enddate", to];
const ofSigner = "extendedKeyUsage = critical, timeStamping";

/** `root`: a PEM file's text. `stamp` answers a request as the authority does. */
export class Authority implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "sett-authority-"));
  readonly root: string;

  constructor({ validity = always, extensions = ofSigner, digest = "sha256", key }: Kind = {}) {
    const path = (name: string) => join(this.folder, name);
    writeFileSync(path("index"), "");
    for (const name of ["serial", "ts-serial"]) writeFileSync(path(name), "01\n");
    writeFileSync(path("config"), configOf(this.folder, extensions, digest));
    const newKey = key ?? ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];
    for (const [name, subject] of [
      ["root", "/O=Clocks/CN=Root of clocks"],
      ["signer", "/O=Clocks/CN=Clock one"],
    ] as const) {
      const request = ["req", "-new", "-nodes", "-newkey", ...newKey, "-subj", subject];
      this.#run(...request, "-keyout", `${name}.key`, "-out", `${name}.csr`);
    }
    const self = ["-selfsign", "-keyfile", "root.key", "-extensions", "of_root"];
    this.#run(...ca, ...self, ...timesOf(always), "-in", "root.csr", "-out", "root.pem");
    this.#certify(validity);
    this.root = readFileSync(path("root.pem"), "utf8");
  }

  stamp(query: Uint8Array): Buffer {
    writeFileSync(join(this.folder, "query"), query);
    this.#run("ts", "-reply", "-config", "config", "-queryfile", "query", "-out", "reply");
    return readFileSync(join(this.folder, "reply"));
  }

  stampOn(content: string): Buffer {
    return this.stamp(timeStampRequest(content).bytes);
  }

  /** The certificate of the signer is valid in this time. */
  stampOnBy(content: string, validity: Validity): Buffer {
    this.#certify(validity);
    const stamp = this.stampOn(content);
    this.#certify(always);
    return stamp;
  }

  #certify(validity: Validity): void {
    const byRoot = ["-keyfile", "root.key", "-cert", "root.pem", "-extensions", "of_signer"];
    this.#run(...ca, ...byRoot, ...timesOf(validity), "-in", "signer.csr", "-out", "signer.pem");
  }

  /** Answers requests by HTTP until it is disposed of. */
  listen(): Disposable & { url: string } {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const reply = this.stamp(new Uint8Array(await request.arrayBuffer()));
        const headers = { "content-type": "application/timestamp-reply" };
        return new Response(new Uint8Array(reply), { headers });
      },
    });
    const url = `http://127.0.0.1:${server.port}/`;
    return { url, [Symbol.dispose]: () => void server.stop(true) };
  }

  #run(...args: string[]): void {
    execFileSync("openssl", args, { cwd: this.folder, stdio: ["ignore", "ignore", "pipe"] });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function configOf(folder: string, extensions: string, digest: string): string {
  return `
[req]
distinguished_name = names
[names]
[ca]
default_ca = authority
[authority]
dir = ${folder}
new_certs_dir = ${folder}
database = ${folder}/index
serial = ${folder}/serial
default_md = sha256
policy = any
unique_subject = no
[any]
organizationName = optional
commonName = supplied
[of_root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
[of_signer]
${extensions}
[tsa]
default_tsa = clock
[clock]
serial = ${folder}/ts-serial
signer_cert = ${folder}/signer.pem
signer_key = ${folder}/signer.key
signer_digest = ${digest}
default_policy = 1.2.3.4
digests = sha256, sha512
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = ${digest}
`;
}
