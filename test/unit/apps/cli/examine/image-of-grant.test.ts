import { expect, test } from "bun:test";
import {
  findImageOf,
  inRegistryOf,
  onEngineOf,
} from "../../../../../apps/cli/examine/image-of-grant.ts";
import type { PersonBlackboard } from "../../../../../lib/blackboard/port/holders.ts";
import type { EngineRuntime } from "../../../../../lib/runtime/port.ts";
import { agentName, sampleAgent } from "../../../../support/records/sample.ts";

const at = (minute: number) => `2026-11-28T20:0${minute}:00.000Z`;
const registered = (minute: number, agent: string, image: string) => ({
  ...{ id: `${minute}-0`, time: at(minute), type: "agent_registered", agent, data: { image } },
});

/** The newest first, two at once. */
function boardWith(events: readonly ReturnType<typeof registered>[]) {
  const newest = events.toReversed();
  const readEventsBefore = async (before: string | undefined) => {
    const from = newest.findIndex(({ id }) => id === before) + 1;
    return newest.slice(from, from + 2);
  };
  const listAgents = async () => [sampleAgent("coder", { image: "sha256:now" })];
  return { readEventsBefore, listAgents } as unknown as PersonBlackboard;
}

function engineWith(...ids: string[]) {
  const find = async (id: string) => (ids.includes(id) ? { id } : undefined);
  return onEngineOf({ engine: { images: { find } } } as unknown as EngineRuntime);
}

const log = [
  registered(1, "coder", "sha256:one"),
  registered(2, "coder", "sha256:two"),
  registered(3, "tester", "sha256:other"),
  registered(4, "coder", "sha256:three"),
];
const of = { agent: agentName("coder"), startedAt: at(3), wanted: undefined };

test("the image of a grant is the one with which its agent was registered when it began", async () => {
  const engine = engineWith("sha256:one", "sha256:two", "sha256:three");
  expect(await findImageOf(boardWith(log), engine, of)).toMatchObject({
    ...{ id: "sha256:two", tag: "sha256:two", isRecorded: true },
  });
});

test("where the log has no change of it, it is the one of now, and after a change none is on record", async () => {
  const engine = engineWith("sha256:now", "sha256:three");
  const unchanged = await findImageOf(boardWith(log.slice(2, 3)), engine, of);
  expect(unchanged).toMatchObject({ id: "sha256:now", isRecorded: true });
  const cut = boardWith(log.slice(3));
  await expect(findImageOf(cut, engine, of)).rejects.toMatchObject({
    code: "image-not-found",
    message: "The record has no image of coder.",
  });
  const named = await findImageOf(cut, engine, { ...of, wanted: "sha256:now" });
  expect(named).toMatchObject({ isRecorded: false });
});

test("an image that is gone is named, with what brings it", async () => {
  const gone = findImageOf(boardWith(log), engineWith("sha256:three"), of);
  await expect(gone).rejects.toMatchObject({
    code: "image-not-found",
    message: expect.stringContaining("sha256:two"),
    hint: expect.stringContaining("--image"),
  });
  const digest = "registry.example.org/coder@sha256:1";
  const pulled = boardWith([registered(1, "coder", digest)]);
  await expect(findImageOf(pulled, engineWith(), of)).rejects.toMatchObject({
    hint: `Bring it: docker pull ${digest}`,
  });
});

test("another image is taken at a person's word, and is not the one of the grant", async () => {
  const engine = engineWith("sha256:two", "sha256:three");
  const take = (wanted: string) => findImageOf(boardWith(log), engine, { ...of, wanted });
  expect(await take("sha256:three")).toMatchObject({ id: "sha256:three", isRecorded: false });
  expect(await take("sha256:two")).toMatchObject({ isRecorded: true });
  await expect(take("none")).rejects.toMatchObject({ code: "image-not-found" });
});

/** `there`: what an Engine here has already, beside the registry. */
function registryWith(images: Record<string, object>, there: readonly string[] = []) {
  const pulled: string[] = [];
  const engine = {
    images: {
      find: async (name: string) => (there.includes(name) ? images[name] : undefined),
      pull: async (name: string) => {
        pulled.push(name);
        return images[name];
      },
    },
  };
  const shell = { err: { isTerminal: false, write: async () => {}, style: {} }, interrupted: end };
  return { pulled, finding: inRegistryOf({ engine } as never, shell as never) };
}

const end = new AbortController().signal;
const pushed = { id: "sha256:1", labels: { "dev.sett.id": "1.2" } };

test("in a cluster the image is named by its digest, and an Engine here gets what it does not have", async () => {
  const digest = "registry.example.org/coder@sha256:1";
  const board = boardWith([registered(1, "coder", digest)]);
  const { pulled, finding } = registryWith({ [digest]: pushed });
  const found = await findImageOf(board, finding, of);
  expect(found).toMatchObject({ tag: digest, id: digest, isRecorded: true });
  expect(pulled).toEqual([digest]);
  const has = registryWith({ [digest]: pushed }, [digest]);
  await findImageOf(board, has.finding, of);
  expect(has.pulled).toEqual([]);
});

test("in a cluster only an image that has the cub can take its place", async () => {
  const board = boardWith([registered(1, "coder", "registry.example.org/coder@sha256:1")]);
  const named = { ...pushed, digest: "registry.example.org/coder@sha256:2" };
  const images = { latest: named, local: pushed, plain: { ...named, labels: {} } };
  const { finding } = registryWith(images, Object.keys(images));
  const take = (wanted: string) => findImageOf(board, finding, { ...of, wanted });
  expect(await take("latest")).toMatchObject({ tag: named.digest, isRecorded: false });
  for (const name of ["local", "plain"])
    await expect(take(name)).rejects.toMatchObject({
      code: "usage",
      message: `${name} is no image that \`sett up\` has pushed for an agent.`,
    });
});
