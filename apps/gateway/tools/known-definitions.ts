// The digests of what MCP servers have said of their tools, so that a change is noticed, also after
// a restart.
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../../lib/model/json.ts";

const Known = z.record(z.string(), z.record(z.string(), z.string()));
const fileName = "tools.json";

export class KnownDefinitions {
  readonly #folder: string;
  #known: Promise<z.infer<typeof Known>> | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the digest that it replaces; undefined where it was the same, or is the first. */
  async note(server: string, tool: string, digest: string): Promise<string | undefined> {
    this.#known ??= this.#read();
    const known = await this.#known;
    const tools = Object.hasOwn(known, server) ? known[server] : undefined;
    const before = tools !== undefined && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
    if (before === digest) return undefined;
    known[server] = { ...tools, [tool]: digest };
    this.#written = this.#written.then(() => this.#write(known));
    await this.#written;
    return before;
  }

  async #read(): Promise<z.infer<typeof Known>> {
    const text = await readFile(join(this.#folder, fileName), "utf8").catch(() => "{}");
    return Known.safeParse(parseJson(text)).data ?? {};
  }

  /** Without it the change is said once more after a restart. */
  async #write(known: z.infer<typeof Known>): Promise<void> {
    const draft = join(this.#folder, `.${randomUUID()}`);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFile(draft, JSON.stringify(known), { mode: 0o600 });
      await rename(draft, join(this.#folder, fileName));
    } catch {
      return;
    }
  }
}
