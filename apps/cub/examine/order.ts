// The order of a look at a grant. A container has it once it runs, from a second program in it that
// a person's command feeds: so it gets there in the same way on every runtime.
//
//   cub --examine-order    leaves its input where the first program takes it
import { createWriteStream, existsSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { SettError } from "../../../lib/model/errors.ts";
import { ExaminationOrder, orderFile } from "../../../lib/model/examination.ts";

type Place = { workspaceDir: string };

const lookEveryMs = 20;

/** A `sett` that was killed brings none. */
const maxWaitMs = 10 * 60_000;

export async function bringOrder({ workspaceDir }: Place): Promise<void> {
  const path = join(workspaceDir, orderFile);
  await pipeline(process.stdin, createWriteStream(`${path}.new`, { flags: "wx", mode: 0o600 }));
  await rename(`${path}.new`, path);
}

/**
 * Waits until it is there. It is not left where the command works. Throws `not-ready` where none
 * comes, and `config-invalid` for one of another version: an image for a cluster has the cub of the
 * Sett that has pushed it.
 */
export async function takeOrder(
  { workspaceDir }: Place,
  ownVersion: string,
): Promise<ExaminationOrder> {
  const path = join(workspaceDir, orderFile);
  const endMs = performance.now() + maxWaitMs;
  while (!existsSync(path)) {
    if (performance.now() > endMs) throw new SettError("not-ready", "No order has come.");
    await sleep(lookEveryMs);
  }
  const text = JSON.parse(await readFile(path, "utf8"));
  await rm(path);
  const order = ExaminationOrder.safeParse(text);
  if (order.success && order.data.version === ownVersion) return order.data;
  const message = `The image has the cub of Sett ${ownVersion}, and this is Sett ${text.version}: look with that sett, or with an image of today (--image IMAGE).`;
  throw new SettError("config-invalid", message, { cause: order.error });
}
