// The ways of requests to an Engine: through a socket, by TCP, with TLS or without, or through ssh.
import type { Agent } from "node:http";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { clauseOf, SettError } from "../../model/errors.ts";
import type { HostEnvironment } from "./docker-config.ts";
import type { EngineAddress } from "./find-engine.ts";
import { sshWay } from "./ssh-way.ts";
import { readTls, type TlsMaterial } from "./tls-material.ts";

/**
 * `options`: for dockerode. `prefix`: all of the API is below this path. `request`: for each
 * request. `reach`: before each, proves that something listens, where that is not known yet.
 * `kept`: connections are used again, because making one is dear; a request that may take long has
 * one of its own kind. `isToRepeat`: whether a request that has failed was never sent.
 */
export type EngineWay = {
  options: WayOptions;
  prefix: string;
  request: { rejectUnauthorized?: boolean };
  reach: () => Promise<void>;
  kept?: { short: Agent; long: Agent };
  isToRepeat?: (error: unknown) => boolean;
};

type WayOptions = Partial<TlsMaterial> & {
  host: string | undefined;
  port?: string;
  protocol: "http" | "https";
  socketPath?: string;
};

type Host = Extract<EngineAddress, { kind: "host" }>;

/** A machine that is there takes a connection in much less. */
const reachMs = 8_000;

/** Throws `docker-unreachable` where what the address names cannot be read. */
export async function wayTo(address: EngineAddress, env: HostEnvironment): Promise<EngineWay> {
  switch (address.kind) {
    case "socket": {
      const options = { host: undefined, protocol: "http", socketPath: address.path } as const;
      return { options, prefix: "", request: {}, reach: async () => {} };
    }
    case "host":
      return await byTcp(address);
    default: {
      const ssh = sshWay(address.host, env);
      const options = { host: "docker", port: "80", protocol: "http" } as const;
      const reach = () => ssh.begin();
      const isToRepeat = (error: unknown) => ssh.isToRepeat(error);
      return { options, prefix: "", request: {}, reach, kept: ssh.agents(), isToRepeat };
    }
  }
}

/**
 * docker takes for granted in an address `tcp://HOST:PORT/PATH` the host, the port, and that all of
 * the API is below the path.
 */
async function byTcp({ host: text, tls, by }: Host): Promise<EngineWay> {
  const { hostname, port: named, pathname } = parse(text, by);
  const host = hostname === "" ? "localhost" : hostname;
  const port = named || (tls === undefined ? "2375" : "2376");
  const material = tls === undefined ? {} : await readTls(tls, by);
  const protocol = tls === undefined ? "http" : "https";
  const request = tls?.isVerified === false ? { rejectUnauthorized: false } : {};
  const to = { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
  const reach = reachedOnce(() =>
    knock(() => (tls === undefined ? connect(to) : secured({ ...to, ...material, ...request }))),
  );
  const prefix = pathname.replace(/\/+$/, "");
  return { options: { host, port, protocol, ...material }, prefix, request, reach };
}

/** What could not be reached is tried again by the next request. */
function reachedOnce(reach: () => Promise<void>): () => Promise<void> {
  let reached: Promise<void> | undefined;
  return () => {
    reached ??= reach().catch((error: unknown) => {
      reached = undefined;
      throw error;
    });
    return reached;
  };
}

function secured(options: Parameters<typeof connectTls>[0] & { host: string }) {
  // The name of a certificate is no address.
  const servername = /^[\d.]+$|:/.test(options.host) ? "" : options.host;
  return connectTls({ ...options, servername });
}

function parse(text: string, by: string): URL {
  try {
    return new URL(text.includes("//") ? text : `tcp://${text}`);
  } catch (cause) {
    const message = `The Docker Engine is named by ${by}, which cannot be used: ${text}: ${clauseOf(cause)}.`;
    throw new SettError("docker-unreachable", message, {
      hint: "DOCKER_HOST is `unix:///PATH`, `tcp://HOST:PORT` or `ssh://USER@HOST`.",
      cause,
    });
  }
}

/** The kernel itself would wait for minutes for a machine that says nothing. */
async function knock(open: () => ReturnType<typeof connect>): Promise<void> {
  const socket = open();
  const event = "getPeerCertificate" in socket ? "secureConnect" : "connect";
  try {
    await new Promise<void>((resolve, reject) => {
      const late = new Error(`no connection within ${reachMs / 1_000} s`);
      socket.setTimeout(reachMs, () => reject(late));
      socket.once("error", reject).once("close", () => reject(new Error("it hangs up at once")));
      socket.once(event, resolve);
    });
  } finally {
    socket.destroy();
  }
}
