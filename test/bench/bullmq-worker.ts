// BullMQ's worker with its defaults, in a process of its own; its job only says when it began.
import process from "node:process";
import { Worker } from "bullmq";
import { now } from "./figures.ts";

const worker = new Worker("bench", async () => now(), {
  connection: { url: process.env.REDIS_URL ?? "" },
});
process.once("SIGTERM", () => void worker.close().then(() => process.exit(0)));
