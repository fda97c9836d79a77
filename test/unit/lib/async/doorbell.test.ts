import { expect, test } from "bun:test";
import { Doorbell } from "../../../../lib/async/doorbell.ts";

const hour = 3_600_000;

test("a wait ends when the bell rings", async () => {
  const bell = new Doorbell();
  const waiting = bell.wait(hour, new AbortController().signal);
  bell.ring();
  await waiting;
});

test("a bell that rang before is answered at once, and only once", async () => {
  const bell = new Doorbell();
  bell.ring();
  bell.ring();
  await bell.wait(hour, new AbortController().signal);
  let isOver = false;
  const again = bell.wait(hour, new AbortController().signal).then(() => {
    isOver = true;
  });
  await Bun.sleep(0);
  expect(isOver).toBe(false);
  bell.ring();
  await again;
});

test("a wait ends with its time, and with its signal", async () => {
  const bell = new Doorbell();
  await bell.wait(1, new AbortController().signal);
  const ending = new AbortController();
  const waiting = bell.wait(hour, ending.signal);
  ending.abort();
  await waiting;
  await bell.wait(hour, ending.signal);
});
