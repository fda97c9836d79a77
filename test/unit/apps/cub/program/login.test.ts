import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withLogin } from "../../../../../apps/cub/program/login.ts";
import { splitSecret } from "../../../../../lib/model/split-secret.ts";

const secret = "8f1c2b7e90a4d35566f0e1c2b3a4958677880011223344556677889900aabbcc";
const { environment: half, argument } = splitSecret(secret);

const program = `
import { withLogin } from "${import.meta.dir}/../../../../../apps/cub/program/login.ts";
const isShown = () =>
  Bun.spawnSync(["cat", \`/proc/\${process.pid}/cmdline\`]).stdout.toString().includes("${argument}");
const before = isShown();
const { rest, environment, isForgotten } = await withLogin(process.argv.slice(2), process.env);
console.log(JSON.stringify([before, isShown(), isForgotten, rest, environment.REDIS_URL]));
`;

describe("the password of a cub", () => {
  test("is put together from environment and arguments, and then other programs find no half", async () => {
    const file = join(tmpdir(), `login-${crypto.randomUUID()}.ts`);
    await Bun.write(file, program);
    const env = {
      ...process.env,
      SETT_LOGIN: half,
      REDIS_URL: "redis+unix://agent-a@localhost/run/redis.sock",
    };
    const words = [process.execPath, "run", file, `--login=${argument}`, "--execute-claim", "x"];
    const child = Bun.spawn(words, { env, stdout: "pipe" });
    const text = await new Response(child.stdout).text();
    await rm(file);
    expect(JSON.parse(text)).toEqual([
      true,
      false,
      true,
      ["--execute-claim", "x"],
      `redis+unix://agent-a:${secret}@localhost/run/redis.sock`,
    ]);
  });

  test("is that of REDIS_URL where a person has started it", async () => {
    const environment = { REDIS_URL: "redis://agent-a:word@localhost:6379" };
    expect(await withLogin(["--version"], environment)).toEqual({
      rest: ["--version"],
      environment,
      isForgotten: true,
    });
  });
});
