// A plugin of opencode: a person's remarks to the running work are added to what its next tool says.
import { execFileSync } from "node:child_process";

export const Remarks = async () => ({
  "tool.execute.after": async (_call, result) => {
    const said = execFileSync("new-remarks", { encoding: "utf8" });
    if (said === "") return;
    // A tool of MCP answers in parts, any other in one text.
    if (result.content === undefined) result.output += `\n\n${said}`;
    else result.content.push({ type: "text", text: said });
  },
});
