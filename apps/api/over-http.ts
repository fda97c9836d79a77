// The advice of the command line, as it reads for a program or a person that asks over HTTP.
import { type Suggest, suggestFor } from "../../lib/client/text/suggest.ts";

const commandLine = suggestFor(undefined);

/**
 * The request in place of a command. Commands that only the command line has, such as `sett up`,
 * stay as they are, for the person who runs the instance.
 */
export const suggestRequest: Suggest = (command) => {
  const [name = "", ...words] = command.split(" ");
  // Only the command line signs.
  if (words.includes("--sign")) return commandLine(command);
  const id = words.findLast((word) => !word.startsWith("-") && word !== "yes") ?? "ID";
  const requests: Record<string, string> = {
    answer: `POST /v1/questions/${words[0] ?? "ID"}/answer`,
    cancel: `POST /v1/goals/${id}/cancel`,
    forage: "POST /v1/goals",
    hoard: "GET /v1/artefacts",
    logs: `GET /v1/agents/${id}/logs`,
    post: "POST /v1/artefacts",
    questions: "GET /v1/inquiries",
    resume: id === "ID" ? "POST /v1/resume" : `POST /v1/goals/${id}/resume`,
    retry: `POST /v1/artefacts/${id}/retry`,
    status: words.includes("--all") ? "GET /v1/goals" : "GET /v1/instance",
    unearth: `GET /v1/artefacts/${id}`,
    watch: `GET /v1/events?goal=${id}`,
  };
  return (Object.hasOwn(requests, name) ? requests[name] : undefined) ?? commandLine(command);
};

/** Options of the command line, and the members of a body in their place. */
const members: readonly (readonly [RegExp, string])[] = [
  [/--goal (?=")/, "`text`: "],
  [/--reason (?=")/, "`reason`: "],
  [/--for ([\w-]+)/, '`for`: "$1"'],
  [/Leave out --id to/, "Leave out `id`, or use a new `Idempotency-Key`, to"],
];

export function hintOverHttp(hint: string): string {
  if (hint.includes(" --sign")) return hint;
  return members.reduce((text, [option, member]) => text.replace(option, member), hint);
}
