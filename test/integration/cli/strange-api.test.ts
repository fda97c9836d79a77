// SETT_API names a server that is no API of Sett, or one of another version.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";

let at: Workspace;
let body = "";
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body) });

beforeAll(async () => {
  at = await Workspace.create();
});

afterAll(async () => {
  await server.stop(true);
  await at[Symbol.asyncDispose]();
});

test.each(["<html>Sign in</html>", "{}", "[]", '{"instance":7}', ""])(
  "a server that answers %j is no API of Sett",
  async (answer) => {
    body = answer;
    const env = { ...at.env, SETT_API: server.url.origin, SETT_API_TOKEN: "secret" };
    const { code, out, err } = await runSett(["status"], { cwd: at.folder, env });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(
      `What answers at ${server.url.origin} is no API of Sett, or one of another version.`,
    );
    expect(err).not.toContain("bug in Sett");
  },
);
