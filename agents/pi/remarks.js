// An extension of pi: a person's remarks to the running work are added to what its next tool says.
import { execFileSync } from "node:child_process";

export default (pi) =>
  pi.on("tool_result", async ({ content }) => {
    const said = execFileSync("new-remarks", { encoding: "utf8" });
    return said === "" ? undefined : { content: [...content, { type: "text", text: `\n\n${said}` }] };
  });
