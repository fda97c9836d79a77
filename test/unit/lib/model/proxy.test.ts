import { expect, test } from "bun:test";
import { directToThisMachine, throughProxy } from "../../../../lib/model/proxy.ts";

const local = "localhost,127.0.0.1,127.0.0.0/8,::1,0.0.0.0,::";

test("without a proxy nothing is set", () => {
  expect(directToThisMachine({ HTTP_PROXY: "", NO_PROXY: "x" })).toEqual({});
});

test.each(["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])(
  "with %s this machine is among the hosts that need none",
  (name) => {
    expect(directToThisMachine({ [name]: "http://proxy:3128" })).toEqual({
      NO_PROXY: local,
      no_proxy: local,
    });
  },
);

test("the hosts of a person stay, those that count", () => {
  const env = { ALL_PROXY: "http://proxy:3128", NO_PROXY: "one.example, 127.0.0.1", no_proxy: "" };
  expect(directToThisMachine(env).no_proxy).toBe(
    "one.example,127.0.0.1,localhost,127.0.0.0/8,::1,0.0.0.0,::",
  );
  expect(directToThisMachine({ ...env, no_proxy: "two.example" }).NO_PROXY).toBe(
    `two.example,${local}`,
  );
});

test("an error names the proxy in between, without its password", () => {
  const env = {
    HTTPS_PROXY: "http://me:secret@proxy.example:3128",
    NO_PROXY: "inner.example,.local",
  };
  const named =
    " (asked through the proxy proxy.example:3128 of HTTPS_PROXY; NO_PROXY names hosts that need none)";
  expect(throughProxy("https://sett.example:8443", env)).toBe(named);
  for (const url of [
    "http://sett.example",
    "https://a.inner.example",
    "https://a.local",
    "https://[::1]:1",
    "https://localhost",
  ])
    expect(throughProxy(url, env)).toBe("");
  expect(throughProxy("http://sett.example", { all_proxy: "proxy:1" })).toContain(
    "the proxy proxy:1 of ALL_PROXY",
  );
});

test.each([
  ["", "http://127.53.0.1", true],
  ["", "http://localhost.:80", true],
  ["", "http://me.localhost", true],
  ["", "http://[::ffff:127.0.0.2]", true],
  ["", "http://0.0.0.0", true],
  ["", "http://[::]", true],
  ["", "http://128.0.0.1", false],
  ["", "http://localhost.example", false],
  ["10.0.0.0/8", "http://10.1.2.3", true],
  ["10.0.0.0/8", "http://11.1.2.3", false],
  ["fd00::/8", "http://[fd12::1]", true],
  ["[fd12::1]", "http://[fd12::1]", true],
  ["one.example:81", "http://one.example:81", true],
  ["one.example:81", "http://one.example", false],
  ["*.Example two", "http://one.example", true],
  ["example/8", "http://one.example", false],
])("with NO_PROXY=%s, that %s needs no proxy is %p", (NO_PROXY, url, isDirect) => {
  expect(throughProxy(url, { NO_PROXY, ALL_PROXY: "http://proxy:3128" }) === "").toBe(isDirect);
});
