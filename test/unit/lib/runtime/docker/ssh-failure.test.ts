// Each failure of ssh is a sentence with a way out.
import { expect, test } from "bun:test";
import { sshFailure } from "../../../../../lib/runtime/docker/ssh-failure.ts";

test.each([
  [
    "@@@\r\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\nHost key verification failed.\r\n",
    "its host key is not the one that is known",
    "`ssh -p 22 ada@build`",
  ],
  ["Host key verification failed.\r\n", "its host key is not known", "`ssh -p 22 ada@build` once"],
  [
    "ada@build: Permission denied (publickey,password).\r\n",
    "it asks for a password or another key",
    "`ssh -o BatchMode=yes -p 22 ada@build docker version`",
  ],
  ["sh: 1: docker: not found\n", "no program `docker` on the PATH", "command line there"],
  [
    "failed to open the raw stream connection: dial unix /var/run/docker.sock: connect: permission denied\n",
    "its user may not use the Engine's socket there",
    "group `docker`",
  ],
  [
    "kex_exchange_identification: read: Connection reset by peer\r\nConnection reset by 10.0.0.2 port 22\r\n",
    "ended the connection before anyone could log in",
    "`MaxStartups`",
  ],
  ["ssh: connect to host build port 22: No route to host\r\n", "No route to host.", "Try `ssh"],
  ["", "it does not say why", "Try `ssh -p 22 ada@build docker version`."],
])("of ssh that says %j", (said, reason, way) => {
  const { code, message, hint } = sshFailure("ssh://ada@build:22", said);
  expect(code).toBe("docker-unreachable");
  expect(message).toContain("through ssh (ssh://ada@build:22): ");
  expect(message).toContain(reason);
  expect(hint).toContain(way);
});
