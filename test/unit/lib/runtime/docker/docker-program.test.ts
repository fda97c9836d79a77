// The programs that call `docker` find the same Engine as Sett.
import { expect, test } from "bun:test";
import { dockerEnvironment } from "../../../../../lib/runtime/docker/docker-program.ts";

const found = { by: "the context build", tried: [] };
const env = { PATH: "/bin", DOCKER_CONTEXT: "build", DOCKER_TLS_VERIFY: "1" };

test("an Engine of a context is named to `docker` by variables, with its certificates", () => {
  const tls = { folder: "/certs", isVerified: true };
  const host = "tcp://build:2376";
  expect(dockerEnvironment({ ...found, kind: "host", host, tls }, env)).toEqual({
    ...{ PATH: "/bin", DOCKER_HOST: host, DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: "/certs" },
  });
  const unverified = { ...tls, isVerified: false };
  expect(dockerEnvironment({ ...found, kind: "host", host, tls: unverified }, env)).toEqual({
    ...{ PATH: "/bin", DOCKER_HOST: host, DOCKER_TLS: "1", DOCKER_CERT_PATH: "/certs" },
  });
});

test("what docker's own variables say of TLS does not count for an Engine without it", () => {
  const host = "ssh://build";
  expect(dockerEnvironment({ ...found, kind: "ssh", host }, env)).toEqual({
    PATH: "/bin",
    DOCKER_HOST: host,
  });
  const socket = { kind: "socket", path: "/run/docker.sock", isForwarded: false } as const;
  expect(dockerEnvironment({ ...found, ...socket }, env)).toEqual({
    PATH: "/bin",
    DOCKER_HOST: "unix:///run/docker.sock",
  });
});
