// Shows what a Failure says where a command has reached no other machine.
import { expect, test } from "bun:test";
import { noEnd } from "../../../../../apps/cub/work/judge-outcome.ts";
import { withNetworkHint } from "../../../../../apps/cub/work/network-hint.ts";

const reasonOf = (stderr: string, hasProxy = false) =>
  withNetworkHint(
    { ...noEnd("The tool ended with exit code 1."), stderr: new TextEncoder().encode(stderr) },
    { hasProxy },
  ).reason;

test.each([
  "curl: (6) Could not resolve host: example.org",
  "fatal: unable to access 'https://git.example.org/a.git/': Could not resolve host: git.example.org",
  "npm error code EAI_AGAIN",
  "Error: getaddrinfo ENOTFOUND example.org",
  "ssh: Could not resolve hostname git.example.org: Temporary failure in name resolution",
  "bash: connect: Network is unreachable",
  "dial tcp: lookup example.org: no such host",
  "curl: (56) CONNECT tunnel failed, response 403",
  "wget: bad address 'example.org'",
])("%s", (stderr) => {
  expect(reasonOf(stderr)).toBe(
    "The tool ended with exit code 1. The agent has no network: `egress` in sett.yml names the hosts that it may reach.",
  );
  expect(reasonOf(stderr, true)).toContain("`sett logs egress` has what was refused");
});

test.each(["", "3 tests failed", "npm error code ELIFECYCLE"])(
  "nothing is added to %p",
  (stderr) => {
    expect(reasonOf(stderr)).toBe("The tool ended with exit code 1.");
  },
);

test("what is added is a sentence of its own behind the last line of stderr", () => {
  const end = noEnd("The tool ended with exit code 2: getaddrinfo ENOTFOUND example.org");
  expect(
    withNetworkHint({ ...end, stderr: new TextEncoder().encode("ENOTFOUND") }, { hasProxy: false })
      .reason,
  ).toStartWith(
    "The tool ended with exit code 2: getaddrinfo ENOTFOUND example.org. The agent has no network: ",
  );
});
