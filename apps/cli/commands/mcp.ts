// sett mcp: an assistant in an editor hands work to the clan, over stdin and stdout.
import { aborted } from "../../../lib/async/sleep.ts";
import { postArtefact } from "../../../lib/client/actions/post-artefact.ts";
import { postGoal } from "../../../lib/client/actions/post-goal.ts";
import { readChanges } from "../../../lib/client/facts/changes.ts";
import { apiOf, askInstance } from "../../../lib/client/remote/instance.ts";
import type { OpenInstance } from "../../../lib/mcp/deps.ts";
import { Unanswered } from "../../../lib/mcp/unanswered.ts";
import { allRights, Right } from "../../../lib/model/api-access.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { recordingOf } from "../facts/gateway-state.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import { openRepository } from "../instance/open-repository.ts";
import { askerOf } from "../instance/request.ts";
import { openSession } from "../instance/session.ts";
import { asArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import type { Shell } from "../terminal/shell.ts";

/**
 * A client that has gone wants none; one that only has said all it wants to know waits for them.
 * Calls that wait for a goal answer after the first time, and the second is for a slow machine.
 */
const lastAnswersMs = 5_000;
const veryLastAnswersMs = 60_000;

const usualRights: readonly Right[] = ["read", "forage", "answer"];

const hint = "Start the server in the repository on which agents should work.";

export const mcp = defineCommand({
  name: "mcp",
  description: "let an assistant in your editor use this sett (MCP)",
  details: [
    "A server of the Model Context Protocol on stdin and stdout, which an editor or an assistant starts. It posts goals, waits",
    "for them, reads results, and lists and answers questions for you: on record with the assistant's name beside yours.",
    "It may approve and reject, or cancel and retry, only with --may. Ends when its stdin does, after the last answers.",
  ].join("\n"),
  args: {
    may: {
      type: "string",
      valueHint: "RIGHTS",
      description: `what the assistant may do: ${allRights.join(", ")}, or all; without it: ${usualRights.join(", ")}`,
    },
    as: asArgument,
    name: nameArgument,
  },
  examples: [
    "sett mcp",
    "sett mcp --may read,forage,answer,approve",
    "claude mcp add sett -- sett mcp  # in the repository: your assistant starts it",
  ],
  endsItself: true,
  async run(args, shell) {
    const rights = await withinToken(rightsOf(args.may), shell);
    const [{ createMcpServer }, { LineTransport }, { default: packageJson }] = await Promise.all([
      import("../../../lib/mcp/server.ts"),
      import("../../../lib/mcp/line-transport.ts"),
      import("../../../package.json", { with: { type: "json" } }),
    ]);
    const { version } = packageJson;
    const ending = new AbortController();
    const server = createMcpServer({
      version,
      rights,
      open: () => open(args, shell, ending.signal),
    });
    const transport = new LineTransport(shell.stdin(), (line) => shell.out.write(line));
    const unanswered = new Unanswered(transport);
    await server.connect(transport);
    await Promise.race([transport.ended, aborted(shell.interrupted)]);
    for (const limitMs of [lastAnswersMs, veryLastAnswersMs]) {
      if (shell.interrupted.aborted) break;
      await Promise.race([unanswered.none(limitMs), aborted(shell.interrupted)]);
      ending.abort();
    }
    await server.close();
    return;
  },
});

async function open(
  args: { name: string | undefined; as: string | undefined },
  shell: Shell,
  ending: AbortSignal,
): Promise<OpenInstance> {
  const session = await openSession(shell, args.name);
  const { board, place } = session;
  const { signal: _, follow, ...asker } = askerOf(shell, session);
  const person = await session.actor(args.as === undefined || args.as === "" ? undefined : args.as);
  return {
    asker: {
      ...asker,
      // A call that waits is answered with what is known when the server ends.
      follow: (from, visit, over) => follow(from, visit, AbortSignal.any([over, ending])),
    },
    person,
    async postGoal({ text, id, actor, marks }) {
      const repository = await openRepository(place, shell, hint);
      const recording = recordingOf(place.containers);
      return await postGoal(board, repository, {
        text,
        id,
        actor,
        marks,
        suggest: shell.suggest,
        recording,
      });
    },
    async lacking(commit) {
      const repository = await openRepository(place, shell, hint);
      const found = await repository
        .exchange(board.instance)
        .lacking(commit)
        .catch(() => []);
      return found.map((each) => `${each.found} ${each.remedy}`);
    },
    async postArtefact(order) {
      const needsCommit = "commit" in order.content;
      const repository = needsCommit ? await openRepository(place, shell, hint) : undefined;
      return await postArtefact(board, repository, { ...order, suggest: shell.suggest });
    },
    async changes(result, since) {
      const repository = await openRepository(place, shell, hint);
      await fetchResults(shell, place.workspace, () => readResults(board), { of: result.id });
      return await readChanges(board, repository, result, { since, person });
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/**
 * Leaves the tools that the token's rights allow, too, where they go through the API. Where the API
 * is away, each call says what the token may not do.
 */
async function withinToken(
  wanted: readonly Right[],
  { env, messages }: Shell,
): Promise<Set<Right>> {
  const api = apiOf(env);
  if (api === undefined) return new Set(wanted);
  try {
    const { rights } = await askInstance(api);
    return new Set(wanted.filter((right) => rights.has(right)));
  } catch (error) {
    if (error instanceof SettError && error.code === "not-allowed") {
      // Every tool reads what it is about.
      messages.warn(`There are no tools for this token: ${messageOf(error)}`);
      return new Set();
    }
    messages.warn(`It is not known yet what the token may do: ${messageOf(error)}`);
    return new Set(wanted);
  }
}

/** Throws `usage` for a word that is no right. */
function rightsOf(text: string | undefined): readonly Right[] {
  if (text === undefined) return usualRights;
  const words = text.split(",").map((word) => word.trim());
  if (words.includes("all")) return allRights;
  return words.map((word) => {
    const right = Right.safeParse(word);
    if (right.success) return right.data;
    throw new SettError("usage", `--may: \`${word}\` is no right.`, {
      hint: `Rights are ${allRights.join(", ")}, and all.`,
    });
  });
}
