import { expect, test } from "bun:test";
import { HeldBytes } from "../../../../../apps/gateway/held-bytes.ts";
import { handleTools } from "../../../../../apps/gateway/tools/handle-tools.ts";
import { AgentName } from "../../../../../lib/model/ids.ts";
import { newToken } from "../../../../../lib/models/token.ts";
import { newClaimId } from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";

const mebibyte = 1024 * 1024;
const initialize = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
});

test("requests that an agent does not end have no more memory than its share, and others have theirs", async () => {
  const memory = new HeldBytes({ max: 4 * mebibyte, agents: 2 });
  const refusals: { code: string }[] = [];
  const deps = {
    board: { findCaller: async () => ({ outcome: "found", caller: {} }) },
    limits: {},
    log: { error: () => undefined },
    metrics: { refusals: { inc: (labels: { code: string }) => refusals.push(labels) } },
  };
  const tools = { namesOf: () => new Map(), list: async () => [], call: async () => ({}) };
  const ask = (agent: string, body: BodyInit) => {
    const { text } = newToken({
      ...{ kind: "grant", claim: newClaimId(), attempt: 1 },
      agent: AgentName.parse(agent),
    });
    const headers = {
      authorization: `Bearer ${text}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const request = new Request("http://gateway/mcp", { method: "POST", headers, body });
    return handleTools(deps as never, { tools, held: memory, version: "1" } as never, request);
  };
  const ends: (() => void)[] = [];
  const neverWhole = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => void ends.push(() => controller.error(new Error("The client left."))),
    });
  const stalled = [ask("coder", neverWhole()), ask("coder", neverWhole())];
  await waitFor("both to be under way", () => memory.bytes === 2 * mebibyte);
  expect((await ask("coder", initialize)).status).toBe(503);
  expect((await ask("reviewer", initialize)).status).toBe(200);
  expect(refusals).toEqual([{ code: "gateway-busy" }]);
  for (const end of ends) end();
  await Promise.all(stalled);
  expect([memory.bytes, (await ask("coder", initialize)).status]).toEqual([0, 200]);
});
