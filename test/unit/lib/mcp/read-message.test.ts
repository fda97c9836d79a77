import { expect, test } from "bun:test";
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import { readMessage } from "../../../../lib/mcp/read-message.ts";

const clientInfo = { name: "test", version: "1" };
const initialize = (params: unknown, id: unknown = 7) => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params,
});
const right = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };

function refusalOf(value: unknown) {
  const read = readMessage(typeof value === "string" ? value : JSON.stringify(value));
  return "refusal" in read ? { id: read.refusal.id, ...read.refusal.error } : undefined;
}

test.each([
  ["{ garbage", -32_700, null],
  ["", -32_700, null],
  [{ hello: 1 }, -32_600, null],
  [[], -32_600, null],
  [{ jsonrpc: "1.0", id: "a", method: "ping" }, -32_600, "a"],
])("what is no message, as %p, is answered with %d", (value, code, id) => {
  expect(refusalOf(value)).toMatchObject({ id, code });
});

test.each([
  [{ capabilities: {}, clientInfo }, "`params.protocolVersion` is missing"],
  [{ ...right, protocolVersion: 2 }, "`params.protocolVersion` must be of the type string"],
  [{ ...right, protocolVersion: null }, "`params.protocolVersion` must be of the type string"],
  [{ ...right, capabilities: [] }, "`params.capabilities` must be of the type object"],
  [{ ...right, clientInfo: { name: "test" } }, "`params.clientInfo.version` is missing"],
  [undefined, "`params` is missing"],
  ["now", "`params` must be of the type object"],
])("wrong params of initialize are named in one sentence: %p", (params, problem) => {
  expect(refusalOf(initialize(params))).toEqual({
    id: 7,
    code: -32_602,
    message: `Invalid params of initialize: ${problem}.`,
  });
});

test("so are those of every other request that is known", () => {
  const call = (params: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  expect(refusalOf(call({}))).toMatchObject({
    code: -32_602,
    message: expect.stringContaining("`params.name` is missing"),
  });
  expect(refusalOf(call({ name: "list_goals", arguments: [] }))).toMatchObject({
    message: "Invalid params of tools/call: `params.arguments` must be of the type object.",
  });
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: 5 } };
  expect(refusalOf(list)).toMatchObject({
    code: -32_602,
    message: expect.stringContaining("`params.cursor` must be"),
  });
});

test("a message is read whole", () => {
  for (const message of [
    initialize(right),
    // Which version is spoken is agreed upon with the client.
    initialize({ ...right, protocolVersion: "1999-01-01" }),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "constructor" },
  ])
    expect(readMessage(JSON.stringify(message))).toEqual({ message: message as never });
});
