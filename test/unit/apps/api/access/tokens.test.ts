// Tickets sign a browser in once; sessions are worth nothing with another key.
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionKeyOf } from "../../../../../apps/api/access/session-key.ts";
import { Sessions } from "../../../../../apps/api/access/sessions.ts";
import { digestOf, type KnownToken, Tokens } from "../../../../../apps/api/access/tokens.ts";

const hex = (secret: string) => digestOf(secret).toString("hex");
const ui: KnownToken = {
  name: "ui",
  sha256: hex("the token"),
  ticket: hex("the ticket"),
  may: ["read"],
};

test("a ticket is good once, and is no token", () => {
  const tokens = new Tokens([ui], () => 0);
  expect(tokens.find("the ticket")).toBeUndefined();
  expect(tokens.redeem("another")).toBeUndefined();
  expect(tokens.redeem("the ticket")?.name).toBe("ui");
  expect(tokens.redeem("the ticket")).toBeUndefined();
  expect(tokens.find("the token")?.name).toBe("ui");
});

test("a ticket that no browser has used in two minutes is good no more", () => {
  let nowMs = 5_000;
  const tokens = new Tokens([ui], () => nowMs);
  nowMs += 120_001;
  expect(tokens.redeem("the ticket")).toBeUndefined();
});

test("who knows the digest of a token, which is in the settings of a container, can make no session", () => {
  const tokens = new Tokens([ui], () => 0);
  const now = () => new Date("2026-01-01T00:00:00Z");
  const made = (key: Buffer) => new Sessions(tokens, { now, key }).make(ui);
  const key = randomBytes(32);
  const sessions = new Sessions(tokens, { now, key });
  expect(sessions.read(made(key))?.name).toBe("ui");
  expect(sessions.read(made(randomBytes(32)))).toBeUndefined();
  expect(sessions.read(made(Buffer.from(ui.sha256, "hex")))).toBeUndefined();
});

test("the key of sessions stays the same for the next process, where it has a folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-session-"));
  try {
    const first = await sessionKeyOf(undefined, join(folder, "files"));
    expect(first?.length).toBe(32);
    expect(await sessionKeyOf(undefined, join(folder, "files"))).toEqual(first);
    expect(await sessionKeyOf("ab".repeat(32), folder)).toEqual(Buffer.alloc(32, 0xab));
    expect(await sessionKeyOf(undefined, undefined)).toBeUndefined();
  } finally {
    await rm(folder, { recursive: true });
  }
});
