// sett ui: shows the instance on a page in the browser, as long as the command runs.
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { allRights } from "../../../lib/model/api-access.ts";
import { clauseOf, exitCodes, SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { findRedisPlace } from "../instance/place.ts";
import { programHere } from "../instance/programs.ts";
import { actorAt } from "../instance/session.ts";
import { asArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import { openBrowser } from "../ui/open-browser.ts";
import { servePage } from "../ui/serve-page.ts";

const secretBytes = 32;

export const ui = defineCommand({
  name: "ui",
  description: "show the instance on a page in the browser, until Ctrl-C",
  details: [
    "Starts the API and its page on this machine alone, prints its address, and opens it. The address has a token, which is",
    "new each time and ends with the command: a program that has it acts in your name. Other programs of this",
    "machine may use it with the API, too: `Authorization: Bearer TOKEN`. For a team: `services.api` in sett.yml.",
  ].join("\n"),
  args: {
    port: {
      type: "string",
      valueHint: "PORT",
      description: "the port of the page (default: any that is free)",
    },
    open: {
      type: "boolean",
      default: true,
      negativeDescription: "only print the address",
      description: "open the browser",
    },
    as: asArgument,
    name: nameArgument,
  },
  examples: ["sett ui", "sett ui --no-open --port 8080"],
  // The API must not outlive it.
  endsItself: true,
  isOfThisMachine: true,
  async run(args, shell) {
    const port = args.port === undefined ? 0 : portOf(args.port);
    if (port !== 0) await requireFree(port);
    const [secret, ticket] = [newSecret(), newSecret()];
    const find = async () => {
      const [place, actor] = await Promise.all([
        findRedisPlace(shell, args.name),
        actorOf(args, shell),
      ]);
      const token = {
        name: "ui",
        sha256: digestOf(secret),
        ticket: digestOf(ticket),
        may: [...allRights],
        actor,
      };
      return { place, token };
    };
    const onReady = async (at: number) => {
      const address = (token: string) => `http://127.0.0.1:${at}/?token=${token}`;
      await shell.out.write(`${address(secret)}\n`);
      const isOpen = args.open && (await openBrowser(address(ticket), shell.env));
      if (args.open && !isOpen) shell.messages.note("Open this address in your browser.");
      shell.messages.note("Ctrl-C ends the page, and the token with it.");
    };
    await servePage(shell, {
      program: await programHere("api"),
      name: args.name,
      find,
      port,
      onReady,
    });
    return shell.interrupted.aborted ? exitCodes.interrupted : undefined;
  },
});

/**
 * The instance of `--name` may be of another repository than this folder's: git has the name of the
 * person there.
 */
async function actorOf(
  { name, as }: { name: string | undefined; as: string | undefined },
  shell: Shell,
): Promise<Actor> {
  const workspace =
    name === undefined
      ? await workspaceRoot(shell.cwd)
      : (await findRedisPlace(shell, name)).workspace;
  return await actorAt({ workspace }, shell, as);
}

function newSecret(): string {
  return randomBytes(secretBytes).toString("base64url");
}

function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

async function requireFree(port: number): Promise<void> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (cause) {
    const hint = "Choose another one, or leave --port out.";
    throw new SettError("port-unusable", `The port ${port} cannot be used: ${clauseOf(cause)}.`, {
      hint,
      cause,
    });
  } finally {
    server.close();
  }
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
  throw new SettError("usage", `--port takes a port from 1 to 65535, not \`${text}\`.`, {
    hint: "For example: --port 8080",
  });
}
