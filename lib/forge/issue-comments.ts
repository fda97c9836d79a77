// Comments on issues, by the REST API that GitHub and Gitea have in common.
import { z } from "zod";
import type { IssueComments } from "./port.ts";
import { ForgeError } from "./port.ts";
import type { Rest } from "./rest.ts";

const Comment = z.object({ id: z.int(), body: z.string().nullish() });

/** `repository`: its path in the API. */
export function issueComments(rest: Rest, repository: string): IssueComments {
  const pathOf = (id: number) => `${repository}/issues/comments/${id}`;
  return {
    async list(issue, since) {
      const time = encodeURIComponent(since.toISOString());
      const path = `${repository}/issues/${issue}/comments?since=${time}`;
      const { list, isWhole } = await rest.list(path, (page) => z.array(z.unknown()).parse(page));
      const all = z.array(Comment).parse(list);
      return { list: all.map(({ id, body }) => ({ id, text: body ?? "" })), isWhole };
    },
    async write(issue, text) {
      const path = `${repository}/issues/${issue}/comments`;
      return Comment.parse(await rest.write("POST", path, { body: text })).id;
    },
    async change(issue, id, text) {
      try {
        await rest.write("PATCH", pathOf(id), { body: text });
        return "changed";
      } catch (error) {
        if (!(error instanceof ForgeError) || error.kind !== "refused") throw error;
        // A forge also answers so where the token may see nothing any more.
        const isSeen = (await rest.find(`${repository}/issues/${issue}`)) !== undefined;
        if (isSeen && (await rest.find(pathOf(id))) === undefined) return "gone";
        throw error;
      }
    },
  };
}
