// A program that writes one line and then waits, until its reader has gone.
import { watchReader } from "../../../apps/cli/terminal/reader-watch.ts";

const waiting = setInterval(() => {}, 60_000);
console.log("one");
watchReader(
  () => {
    clearInterval(waiting);
    process.exitCode = 7;
  },
  { delayMs: 0 },
);
