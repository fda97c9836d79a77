// The names by which agents know the tools of MCP servers.
import { expect, test } from "bun:test";
import { toolNames } from "../../../../../apps/gateway/tools/tool-names.ts";
import { toolServer } from "../../../../support/gateway/tool-server.ts";

const servers = new Map([
  ["a", toolServer("http://h/", ["b_c", "get.it", "x".repeat(200), `d@sha256:${"0".repeat(64)}`])],
  ["a_b", toolServer("http://h/", ["c"])],
]);

test("a name is that of the server and of the tool, and each is one that every provider takes", () => {
  const named = toolNames(servers, ["a", "a_b"]);
  expect(
    [...named].map(([shown, { server, name, digest }]) => [shown, server, name, digest]),
  ).toEqual([
    ["a_b_c", "a", "b_c", undefined],
    [expect.stringMatching(/^a_get_it_[0-9a-f]{8}$/), "a", "get.it", undefined],
    [expect.stringMatching(/^a_x{39}_[0-9a-f]{8}$/), "a", "x".repeat(200), undefined],
    ["a_d", "a", "d", "0".repeat(64)],
    [expect.stringMatching(/^a_b_c_[0-9a-f]{8}$/), "a_b", "c", undefined],
  ]);
  for (const name of named.keys()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,50}$/);
});

test("a person is asked before each call of a tool in `ask`", () => {
  const asking = new Map([["s", toolServer("http://h/", ["read"], { ask: ["write"] })]]);
  expect([...toolNames(asking, ["s"])].map(([name, { isAsked }]) => [name, isAsked])).toEqual([
    ["s_read", false],
    ["s_write", true],
  ]);
});

test("a server that an agent does not name gives it no tool", () => {
  expect([...toolNames(servers, ["a_b", "unknown"]).keys()]).toEqual(["a_b_c"]);
});

test("no name is that of a tool of the built-in worker", () => {
  const own = ["edit_file", "list_files", "read_file", "write_file"];
  const like = new Map(
    own.map((name) => {
      const [server = "", tool = ""] = name.split("_");
      return [server, toolServer("http://h/", [tool])] as const;
    }),
  );
  const names = [...toolNames(like, [...like.keys()]).keys()];
  expect(names.map((name) => name.replace(/_[0-9a-f]{8}$/, "+"))).toEqual(
    own.map((name) => `${name}+`),
  );
});
