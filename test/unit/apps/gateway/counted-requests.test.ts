// Shows what the gateway remembers of counted requests, and what it forgets.
import { expect, test } from "bun:test";
import { CountedRequests } from "../../../../apps/gateway/counted-requests.ts";
import { AgentName } from "../../../../lib/model/ids.ts";
import { noUsage } from "../../../../lib/models/cost.ts";
import { readRequest } from "../../../../lib/models/request.ts";

const coder = AgentName.parse("coder");
const usage = { ...noUsage, input: 50, output: 7 };

function requestOf(body: object) {
  const read = readRequest("responses", new TextEncoder().encode(JSON.stringify(body)));
  if ("problem" in read) throw new Error(read.problem);
  return read.request;
}

test("the last request of each work is known, with what it was counted as", () => {
  const counted = new CountedRequests();
  counted.remember("one", requestOf({ input: "a" }), usage);
  const last = requestOf({ input: "ab" });
  counted.remember("one", last, { ...usage, input: 60 });
  expect(counted.find("one")).toEqual({ body: last.body, input: 60 });
  expect(counted.find("two")).toBeUndefined();
});

test("a request of which the provider may have counted a part only is not remembered", () => {
  const counted = new CountedRequests();
  for (const over of [
    { truncation: "auto" },
    { previous_response_id: "resp_1" },
    { context_management: {} },
  ]) {
    counted.remember("one", requestOf({ input: "a", ...over }), usage);
  }
  counted.remember("one", requestOf({ input: "a" }), { ...usage, input: 0 });
  expect(counted.find("one")).toBeUndefined();
});

test("the oldest are forgotten where all together are large", () => {
  const counted = new CountedRequests();
  const large = requestOf({ input: "x".repeat(5_000_000) });
  for (const work of ["one", "two", "three", "four"]) counted.remember(work, large, usage);
  expect(["one", "two", "three", "four"].map((work) => counted.find(work) !== undefined)).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

test("a conversation at the provider has the tokens of the answer that it ends with", () => {
  const counted = new CountedRequests();
  counted.rememberResponse(coder, "resp_1", usage);
  counted.rememberResponse(coder, "", usage);
  expect(["resp_1", "resp_2", ""].map((id) => counted.sizeOf(coder, id))).toEqual([
    57,
    undefined,
    undefined,
  ]);
  // A conversation of another agent is as unknown.
  expect(counted.sizeOf(AgentName.parse("spy"), "resp_1")).toBeUndefined();
});
