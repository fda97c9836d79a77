// The caller's end: a connection to a service by TLS that says who calls before anything else.
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { connect, type TLSSocket } from "node:tls";
import type { ProvenAddress } from "../model/proven-address.ts";
import type { Dialled } from "../service/forward.ts";
import { writeProof } from "./proof.ts";
import { serviceName } from "./service-name.ts";

/** A service that does not answer in this time is away. */
const patienceMs = 10_000;

/**
 * Nothing is sent to a service that is not signed by the authority of the address. What the
 * surroundings say of authorities and of checks (`NODE_EXTRA_CA_CERTS`,
 * `NODE_TLS_REJECT_UNAUTHORIZED`) does not count. `onProblem`: called at most once, where it ends
 * before it is ready.
 */
export function dialProven(
  { host, port, way, key, authority: der }: ProvenAddress,
  onProblem: (text: string) => void,
): Dialled & { socket: TLSSocket } {
  const authority = new X509Certificate(der);
  const socket = connect({
    ...{ host, port, servername: serviceName, ca: authority.toString() },
    ...{ minVersion: "TLSv1.3", rejectUnauthorized: true, allowHalfOpen: true },
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = setTimeout(() => socket.destroy(new Error("it does not answer")), patienceMs);
  late.unref();
  let isReady = false;
  socket.once("error", ({ message }: Error) => {
    if (!isReady) onProblem(message);
  });
  socket.once("close", () => clearTimeout(late));
  socket.once("secureConnect", () => {
    clearTimeout(late);
    if (!isSignedBy(socket, authority)) {
      socket.destroy(new Error("its certificate is not of this instance"));
      return;
    }
    socket.write(writeProof(socket, way, key));
    isReady = true;
    resolve();
  });
  return { socket, isReady: promise };
}

function isSignedBy(socket: TLSSocket, authority: X509Certificate): boolean {
  // Null where it has been closed meanwhile.
  const peer = socket.getPeerCertificate() as { raw: Uint8Array } | null;
  if (peer === null || !socket.authorized) return false;
  return new X509Certificate(Buffer.from(peer.raw)).verify(authority.publicKey);
}
