// Measures the waits of a person: until `sett ui` has opened the page, and from an event to its
// place on the page; and what the API of a team takes at rest. It needs the images, and Chromium.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { startSett } from "../support/cli/sett-process.ts";
import { TestBrowser } from "../support/page/browser.ts";
import { commitToDocumentMs } from "../support/page/commit-to-document.ts";
import { freePort } from "../support/redis/redis-server.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { median, percentile } from "./figures.ts";
import { frameFigures } from "./page-frames.ts";

/** Milliseconds and megabytes. */
export async function pageFigures(rounds: number): Promise<Record<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), "sett-bench-"));
  try {
    await writeFile(join(folder, "ci"), randomBytes(32).toString("hex"));
    const api = `services: { api: { port: ${await freePort()}, tokens: [{ name: ci, secret: ci, may: [read] }] } }`;
    const top = `secrets: { ci: { file: ${folder}/ci } }\n${api}\n`;
    await using sett = await SettWorkspace.create({
      ...scriptAgent("idle", "cat > /dev/null"),
      "sett.yml": settYml({ idle: "    bids:\n      - { on: Nothing, bid: exclusive }\n" }, top),
    });
    await sett.commit("Add a sett");
    await sett.up();
    const idle_api_mb = await memoryMb(`sett-${sett.name}-api`);
    const opened: number[] = [];
    for (let round = 0; round < rounds; round++) opened.push(await openMs(sett.folder));
    await using browser = await TestBrowser.launch();
    const seen = await commitToDocumentMs(browser, 40);
    const frames = await frameFigures(browser);
    return {
      ...frames,
      idle_api_mb,
      ui_open_ms_p50: median(opened),
      page_event_to_document_ms_p50: median(seen),
      page_event_to_document_ms_p95: percentile(seen, 0.95),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Until the page's first byte can be read at the address that was printed. */
async function openMs(folder: string): Promise<number> {
  const began = performance.now();
  await using running = startSett(["ui", "--no-open"], {
    cwd: folder,
    env: { DOCKER_HOST: process.env.DOCKER_HOST ?? "" },
  });
  await running.untilOut("\n");
  const answer = await fetch(running.out().trim());
  if (!answer.ok) throw new Error(`The page answers ${answer.status}.`);
  return performance.now() - began;
}

/** As the Engine counts it, without what of files can be read again. */
async function memoryMb(container: string): Promise<number> {
  const text = await $`docker stats --no-stream --format ${"{{.MemUsage}}"} ${container}`.text();
  return Number(/^([\d.]+)MiB/.exec(text)?.[1]);
}
