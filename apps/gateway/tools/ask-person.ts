// Calls of tools for which sett.yml wants a person's word: the word that there is, or a question
// that the record has from now on.
import { createHash } from "node:crypto";
import { maxArgumentsLength, maxAskedCalls } from "../../../lib/model/asked-call.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import type { Deps } from "../deps.ts";
import { sorted } from "./definitions.ts";
import { hideSecrets } from "./outside-text.ts";
import type { NamedTool, ToolCaller } from "./tool-names.ts";

/** `sentence`: the model reads it. `waits`: the work has to end now. */
export type PersonsWord =
  | { outcome: "allowed"; answer: ArtefactId }
  | { outcome: "refused"; sentence: string }
  | { outcome: "waits"; sentence: string };

type Wanted = { named: NamedTool; args: unknown; hidden: readonly string[] };

/** An allowed call is used up with this, whatever becomes of it. */
export async function askPerson(
  { board, newId }: Pick<Deps, "board" | "newId">,
  { caller, token }: ToolCaller,
  { named: { server, name }, args, hidden }: Wanted,
): Promise<PersonsWord> {
  const text = shownArguments(args, hidden);
  if (text.length > maxArgumentsLength)
    return refused(
      `A person has to read the arguments of \`${name}\`, and these have ${text.length} characters. At most ${maxArgumentsLength} are allowed.`,
    );
  const same = JSON.stringify(sorted({ server, tool: name, arguments: args }));
  const digest = createHash("sha256").update(same).digest("hex");
  const call = { id: newId(), digest, server, tool: name, arguments: text };
  const reply = await board.askCall({ goal: caller.goal_id, token, call });
  switch (reply.outcome) {
    case "allowed":
      return reply;
    case "denied":
      return refused(`A person has said no to this call: ${reply.words}`);
    case "full":
      return refused(
        `${maxAskedCalls} calls of this work wait for a person already. End your work now: you are started again with the answer.`,
      );
    case "refused":
      return refused(`The call is not allowed any more: ${reply.reason}`);
    case "waits":
      return {
        outcome: "waits",
        sentence:
          "A person has to allow this call, and is asked when your work ends. End it now: you are started again with the answer, and a call with exactly these arguments then passes.",
      };
  }
}

function refused(sentence: string): PersonsWord {
  return { outcome: "refused", sentence };
}

/** As JSON in which no character is invisible, or turns the direction of text. */
function shownArguments(args: unknown, hidden: readonly string[]): string {
  const text = hideSecrets(JSON.stringify(args, null, 2), hidden);
  const unseen =
    /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\x7f-\x9f\u2800]/gu;
  return text.replace(unseen, (one) =>
    Array.from(
      { length: one.length },
      (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
