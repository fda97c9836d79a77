// The tool that writes a whole file.
import { mkdir, stat, writeFile } from "node:fs/promises";
import { z } from "zod";
import { messageOf } from "../../../../lib/model/errors.ts";
import { defineTool, output, type Tool } from "../tool.ts";
import { placeOf, type Workspace } from "../workspace.ts";
import { readTextFile } from "./text-file.ts";

export function writeFileTool(workspace: Workspace): Tool {
  return defineTool({
    name: "write_file",
    description:
      "Writes a whole text file of the workspace, new or in place of the old one. Folders that are missing are made. For a small change use `edit_file`.",
    input: z.strictObject({
      path: z.string().min(1).describe("Relative to the workspace."),
      content: z.string().describe("The whole content, with a line break at its end."),
    }),
    use: async ({ path, content }) => {
      const place = await placeOf(workspace, path, "write");
      if (!place.ok) return output(`${place.reason} Nothing was written.`);
      const found = await stat(place.path).catch(() => undefined);
      if (found !== undefined && !found.isFile())
        return output(`${place.shown} is not a file. Nothing was written.`);
      const before = await readTextFile(workspace, path);
      try {
        await mkdir(place.folder, { recursive: true });
        await writeFile(place.path, content);
      } catch (error) {
        return output(`${place.shown} cannot be written: ${messageOf(error)}`);
      }
      const isLf = content.includes("\n") && !content.includes("\r\n");
      const about =
        isLf && before.ok && before.file.lineBreak === "\r\n"
          ? " Its lines ended in CR LF, and end in LF now."
          : "";
      return output(
        `${found === undefined ? "Wrote the new file" : "Wrote"} ${place.shown}.${about}`,
      );
    },
  });
}
