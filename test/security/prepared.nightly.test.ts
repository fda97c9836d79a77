// What is prepared for workers is made by programs of a commit: they turn against other commits,
// against what the agent has and reaches, and against those who share what they make. In real
// containers.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

/** Does what the goal says, and answers with what that has written. */
const runner = `goal=$(jq -r .target_artefact.payload)
out=$(sh -c "$goal" 2>&1 < /dev/null)
jq -n --arg text "$out" '{structural_type: "Terminal", artefact_type: "Done", artefact_payload: $text, summary: ""}'
`;

const bidder = 'jq -r .payload | grep -q "^: $SETT_AGENT_NAME" && echo exclusive || echo ignore';

const agentOf = (run: string) => `
    image: sett/agent-base:latest
    strategy: fresh_per_call
    bid_command: ["sh", "-c", ${JSON.stringify(bidder)}]
    resources: { limits: { disk: 100M } }
    workspace: { mode: rw, prepare: { run: ${JSON.stringify(run)}, key: [lock, install.sh] } }
    secrets: [{ name: token, variable: TOKEN }]
    network: open
    command: ["sh", "-c", ${JSON.stringify(runner)}]`;

const good = "#!/bin/sh\nmkdir -p packages && cp lock packages/lock && echo good > packages/code\n";

/** Each line says what has worked that must not. */
const harm = `#!/bin/sh
worked() { echo "$1" >> packages/worked; }
mkdir -p packages && cp lock packages/lock
for one in /git/objects/new /git/exchange/new /git/exchange/first/new /cub/new /new /git/layer/new; do
  (echo evil > $one) 2>/dev/null && worked "wrote $one"
done
[ -z "$(ls -A /run/secrets 2>/dev/null)$TOKEN" ] || worked "saw a secret"
[ -z "$REDIS_URL$SETT_GATEWAY_URL$SETT_EGRESS_URL$HTTPS_PROXY" ] || worked "has a way"
[ -z "$(ls -A /run/sett 2>/dev/null)" ] || worked "sees sockets"
[ "$(ls /sys/class/net)" = lo ] || worked "has a network"
[ ! -e README.md ] || worked "saw what is no key"
[ ! -e .git ] || worked "saw a repository"
# What is made of it is to be taken from elsewhere, and git is to be misled.
mkdir -p tree .git src/.git; echo '{}' > layer.json; echo forged > tree/README.md; echo evil > README.md
printf '[core]\\n\\tfsmonitor = touch /tmp/fsmonitor\\n' > .git/config; cp .git/config src/.git/config
rm -rf deep; ln -s /etc deep; ln -s /etc/passwd src/code
mkfifo packages/pipe; cp /bin/true packages/s; chmod 6755 packages/s
mkdir packages/closed; echo x > packages/closed/x; chmod 000 packages/closed/x packages/closed
# It is to be changed after it was looked at.
echo tried > packages/tried
(trap "" TERM HUP; setsid sh -c 'while :; do echo late >> packages/late; sleep 0.05; done' > /dev/null 2>&1 &)
chmod 000 .
`;

const npmToken = "npm_4hT9xQ2vLm7KpR3wZs8Y";

/** Needs a token for what it installs, and says what of the agent's it sees. */
const withToken = `#!/bin/sh
echo "the token is $NPM_TOKEN"
[ "$NPM_TOKEN" = "$(cat /run/secrets/npm)" ] || exit 9
mkdir packages; echo $NPM_TOKEN | wc -c > packages/length; ls /run/secrets > packages/seen; env | grep -c hush >> packages/seen || :
`;

/** It has another secret than what is prepared for it. Nothing says its strategy. */
const member = `
    image: sett/agent-base:latest
    bid_command: ["sh", "-c", ${JSON.stringify(bidder)}]
    workspace:
      mode: rw
      prepare: { run: "./private.sh", key: [private.sh], secrets: [{ name: npm, variable: NPM_TOKEN }] }
    secrets: [{ name: token, variable: TOKEN }]
    command: ["sh", "-c", ${JSON.stringify(runner)}]`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    "sett.yml": `version: '1.0'\nsecrets:\n  token: { environment: TEST_TOKEN }\n  npm: { environment: NPM }\nagents:\n  first:${agentOf("./install.sh")}\n  second:${agentOf("./install.sh")}\n  member:${member}\n`,
    "private.sh": withToken,
    "install.sh": good,
    lock: "one\n",
    "src/code": "code\n",
    "deep/code": "deep\n",
  });
  sett.env = { TEST_TOKEN: "hush-hush-hush-hush", NPM: npmToken };
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

/** Returns what a worker of the agent has written when it has done this. */
async function outputOf(agent: string, ...script: string[]): Promise<string> {
  const goal = await sett.forage([`: ${agent}`, ...script].join("\n"));
  const ended = await waitFor("the end", async () =>
    (await sett.artefacts(goal)).find(
      ({ type, structural_type }) => type === "Done" || structural_type === "Failure",
    ),
  );
  return ended.payload;
}

async function commit(files: Record<string, string>): Promise<void> {
  await sett.write(files);
  await sett.commit("Change files");
}

const state =
  "cat packages/code packages/lock; git status --porcelain --ignored; cat README.md src/* deep/*";
const clean = "good\none\n?? packages/\n# A repository\ncode\ndeep";

test("what a hostile commit prepares is seen by those with its key alone, and spoils nothing of theirs but what it made", async () => {
  expect(await outputOf("first", state)).toBe(clean);
  await commit({ "install.sh": harm });
  const seen = await outputOf(
    "second",
    "cat packages/worked 2> /dev/null; echo; ls -A packages; cat README.md src/code deep/code; git status --porcelain | sort; ls -A /tmp",
  );
  expect(seen).toMatch(/\nclosed\n(?:late\n)?lock\ns\ntried\n/);
  expect(seen.split("\n")[0]).toBe("");
  expect(seen).toContain("# A repository\ncode\ndeep\n");
  expect(seen).not.toContain("fsmonitor");
  expect(seen).not.toContain(".git");
  // Nothing changes it once it was looked at.
  const late = "cksum packages/late 2> /dev/null";
  expect(await outputOf("second", late)).toBe(await outputOf("first", late));
  const mount = "grep ' /workspace ' /proc/self/mountinfo | grep -o 'nosuid,nodev'";
  expect(await outputOf("first", mount)).toBe("nosuid,nodev");
  // The commit of before, and its key, are as they were; a file that is no key changes neither.
  await commit({ "install.sh": good });
  expect(await outputOf("second", state)).toBe(clean);
});

test("a worker cannot change what was prepared for others, by any path", async () => {
  const tries = [
    "echo evil > /git/prepared/tree/packages/code",
    "rm /git/prepared/tree/packages/lock",
    "chmod 777 /git/prepared/tree",
    "mount -o remount,rw /git/prepared",
    "exec 3< /git/prepared/tree/packages/code; echo evil > /proc/self/fd/3",
  ].map((one) => `(${one}) > /dev/null 2>&1 && echo "worked: ${one.replaceAll('"', "")}"`);
  const own = "echo evil > packages/code; rm packages/lock; mv packages moved; ln -s /etc packages";
  expect(await outputOf("first", ...tries, own, "cat moved/code")).toBe("evil");
  expect(await outputOf("first", state)).toBe(clean);
  expect(await outputOf("second", state)).toBe(clean);
});

test.each([
  ["by many files", "mkdir x; while :; do head -c 20M /dev/zero > x/$((n=n+1)); done"],
  ["by one that is cut off, after which it goes on", "head -c 200M /dev/zero > x; echo on"],
])(
  "one that fills the disk %s ends with a Failure that says so, and nothing of it is kept",
  async (how, line) => {
    const layers = () =>
      $`docker volume ls -q --filter label=dev.sett.instance=${sett.name} --filter label=dev.sett.component=layer`.text();
    const before = await layers();
    await commit({ lock: `full ${how}\n`, "install.sh": `#!/bin/sh\n${line}\n` });
    expect(await outputOf("first", "echo began")).toContain(
      "`resources.limits.disk` allows 100 MiB",
    );
    expect(await layers()).toBe(before);
    await commit({ lock: "one\n", "install.sh": good });
    expect(await outputOf("first", state)).toBe(clean);
  },
);

test("the secrets of what prepares are seen by that command alone, and nothing of them is left", async () => {
  const seen = "cat packages/length packages/seen; ls -A /run/secrets; env | grep -c npm_";
  expect(await outputOf("member", seen)).toBe("25\nnpm\n0\ntoken\n0");
  const logs = await sett.need("logs", "member");
  expect(logs).toContain("the token is [secret npm]");
  const keeper = await $`docker inspect ${{ raw: await containersOf() }}`.text();
  for (const text of [logs, keeper]) expect(text).not.toContain(npmToken);
  const leave = 'printf "//registry/:_authToken=%s" "$NPM_TOKEN" > packages/.npmrc';
  await commit({ "private.sh": `${withToken}${leave}\n` });
  const failure = await outputOf("member", "echo began");
  expect(failure).toContain(
    "`./private.sh` has left the value of the secret npm in `packages/.npmrc`, where each grant would see it",
  );
  expect(failure).not.toContain(npmToken);
});

async function containersOf(): Promise<string> {
  const ids = await $`docker ps -aq --filter label=dev.sett.instance=${sett.name}`.text();
  return ids.trim().split("\n").join(" ");
}
