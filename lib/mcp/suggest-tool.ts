// The advice of the command line, as it reads for an assistant: the tool in place of a command.
import type { Suggest } from "../client/text/suggest.ts";

const tools: Record<string, string> = {
  answer: "answer_question",
  cancel: "cancel_goal",
  forage: "post_goal",
  hoard: "list_artefacts",
  post: "post_artefact",
  questions: "list_questions",
  retry: "retry_failure",
  status: "list_goals",
  unearth: "read_artefact",
  watch: "read_goal",
};

/** `otherwise`: for what no tool does. */
export function suggestTool(otherwise: Suggest): Suggest {
  return (command) => {
    const [name = ""] = command.split(" ");
    return (Object.hasOwn(tools, name) ? tools[name] : undefined) ?? otherwise(command);
  };
}
