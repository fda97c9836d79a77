// How the owner of a Redis makes its users, and what they do where the functions are missing.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createClient } from "redis";
import { prepareUsers, settleUsers } from "../../../lib/blackboard/redis/administration.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import type { RedisUser } from "../../../lib/blackboard/redis/users.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { asUser } from "../../support/blackboard/role-bench.ts";
import { user } from "../../support/blackboard/scene.ts";
import { errorOf } from "../../support/error-of.ts";
import { agentName, sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { patient, type RedisServer, startRedisServer } from "../../support/redis/redis-server.ts";
import { unhurried } from "../../support/redis/unhurried.ts";
import { waitFor } from "../../support/wait-for.ts";

const instance = InstanceName.parse("demo");
const person: RedisUser = { role: "person" };
const coder: RedisUser = { role: "agent", agent: agentName("coder") };
const reader: RedisUser = { role: "agent", agent: agentName("reader") };
const withPassword = (...users: RedisUser[]) =>
  users.map((each) => ({ user: each, password: "a-password" }));

let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer({ hasUsers: true });
});

afterAll(() => server[Symbol.asyncDispose]());

const owner = () => ({ url: server.url, instance, giveUpMs: patient.giveUpMs });
const open = (as: RedisUser, ownerUrl?: string) =>
  connectBlackboard({ url: asUser(server.url, as, "a-password"), ownerUrl, instance, ...patient });

test("users outlast a restart of Redis, and those of parts that are gone are removed, but not the owner's own", async () => {
  await server.cli("ACL", "SETUSER", "backup", "on", "nopass", "+ping");
  await prepareUsers(owner(), withPassword(person, coder, reader));
  await server.stop();
  await server.start();
  const names = async () => (await server.cli("ACL", "USERS")).split("\n").sort();
  expect(await names()).toEqual(["agent-coder", "agent-reader", "backup", "default", "person"]);
  await settleUsers(owner(), withPassword(person, coder));
  expect(await names()).toEqual(["agent-coder", "backup", "default", "person"]);
});

test("a part of the version before keeps what it may do until it is gone", async () => {
  await settleUsers(owner(), withPassword(person, coder));
  const rights = async () =>
    (await server.cli("ACL", "GETUSER", "agent-coder")).split(/\s+/).sort();
  const exact = await rights();
  // That version had another probe, a channel and a command more.
  const more = ["%RW~sett:demo:old-probe", "&sett:demo:old", "+setex"];
  await server.cli("ACL", "SETUSER", "agent-coder", ">an-older-password", ...more);
  const cub = createClient({ ...unhurried, url: asUser(server.url, coder, "a-password") });
  cub.on("error", () => undefined);
  await cub.connect();
  try {
    await prepareUsers(owner(), withPassword(person, coder));
    expect(await cub.setEx("sett:demo:old-probe", 60, "1")).toBe("OK");
    const hears = await server.cli("ACL", "DRYRUN", "agent-coder", "subscribe", "sett:demo:old");
    expect(hears).toContain("OK");
    await settleUsers(owner(), withPassword(person, coder), new Set([agentName("coder")]));
    expect(await cub.setEx("sett:demo:old-probe", 60, "2")).toBe("OK");
    await settleUsers(owner(), withPassword(person, coder));
    await expect(cub.setEx("sett:demo:old-probe", 60, "1")).rejects.toThrow("NOPERM");
    expect(await rights()).toEqual(exact);
  } finally {
    cub.destroy();
  }
});

test("a user whose rights are given again and again gets each of them once", async () => {
  await settleUsers(owner(), withPassword(person, coder));
  const rights = () =>
    Promise.all(["person", "agent-coder"].map((name) => server.cli("ACL", "GETUSER", name)));
  const exact = await rights();
  await prepareUsers(owner(), withPassword(person, coder));
  expect(await rights()).toEqual(exact);
});

test("who may not load the functions says who does; a command line with the owner's password loads them itself", async () => {
  await prepareUsers(owner(), withPassword(person, coder));
  await server.cli("FUNCTION", "FLUSH");
  await using own = await open(person);
  const refused = await errorOf(own.createArtefact(sampleArtefact(), user));
  expect(refused).toMatchObject({
    code: "blackboard-refused",
    hint: expect.stringContaining("`sett up` does"),
  });
  await using helped = await open(person, server.url);
  expect(await helped.createArtefact(sampleArtefact(), user)).toEqual({ outcome: "created" });
  expect(await own.createArtefact(sampleArtefact(), user)).toEqual({ outcome: "created" });
});

test("what a user may not do is refused with the place to read about it", async () => {
  await prepareUsers(owner(), withPassword(coder));
  await using board = await open(coder);
  const refused = await errorOf(board.registerAgents([], user, { exact: true }));
  expect(refused).toMatchObject({
    code: "blackboard-refused",
    hint: expect.stringContaining("blackboard.md#users"),
  });
});

test("an agent's user reads its own registration and no other, whatever it finds", async () => {
  await prepareUsers(owner(), withPassword(person, coder, reader));
  await using people = await open(person);
  const [own, other] = [sampleAgent("coder"), sampleAgent("reader")];
  await people.registerAgents([own], user, { exact: true });
  await people.expectAgents([other], user);
  await using board = await open(coder);
  expect(await board.findAgent(own.name)).toEqual(own);
  expect(await errorOf(board.findAgent(other.name))).toMatchObject({ code: "blackboard-refused" });
  expect(await errorOf(board.listAgents())).toMatchObject({ code: "blackboard-refused" });
  await server.cli("ACL", "LOG", "RESET");
  await people.registerAgents([other], user, { exact: true });
  expect(await board.findAgent(own.name)).toBeUndefined();
  expect(await server.cli("ACL", "LOG")).toBe("");
});

test("an agent's user hears the two channels of hints, and no other of its instance or of another", async () => {
  await prepareUsers(owner(), withPassword(person, coder));
  await using people = await open(person);
  const listener = createClient({ ...unhurried, url: asUser(server.url, coder, "a-password") });
  listener.on("error", () => undefined);
  await listener.connect();
  try {
    const ids: string[] = [];
    await listener.subscribe(["sett:demo:artefact_events", "sett:demo:claim_events"], (id) =>
      ids.push(id),
    );
    const artefact = sampleArtefact();
    await people.createArtefact(artefact, user);
    await waitFor("the hint", () => ids.includes(artefact.id));
    for (const channel of [
      "sett:demo:events",
      "sett:other:claim_events",
      "sett:demo:agent:reader:in",
      "sett:other:claims",
    ])
      expect(await server.cli("ACL", "DRYRUN", "agent-coder", "SUBSCRIBE", channel)).toContain(
        "no permissions",
      );
  } finally {
    listener.destroy();
  }
});

test("a user hears only its own channels where new users of that Redis hear all", async () => {
  const gateway: RedisUser = { role: "gateway" };
  await server.cli("CONFIG", "SET", "acl-pubsub-default", "allchannels");
  await prepareUsers(owner(), withPassword(coder, gateway));
  await server.cli("CONFIG", "SET", "acl-pubsub-default", "resetchannels");
  const tried = async (name: string) =>
    (await server.cli("ACL", "DRYRUN", name, "subscribe", "sett:other:artefacts")).slice(0, 80);
  expect(await tried("agent-coder")).toContain("no permissions to access");
  const rules = await server.cli("ACL", "LIST");
  const line = rules.split("\n").find((each) => each.startsWith("user gateway "));
  expect(line?.replace(/\(.*?\)/g, "")).not.toContain("&");
});
