// Commands reach what `network` and `egress` allow, each tried from inside of a container.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { nightly } from "../support/nightly.ts";
import { bidByName } from "../support/sett/obedient-agent.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

/**
 * Does what the goal says after its first word, which is the agent's name, and answers with what
 * that has written; fails as that does if that ends with 9.
 */
const runner = `work=$(cat)
printf '%s' "$work" | jq -r .target_artefact.payload | sed '1s/^[a-z]*: //' > /tmp/goal.sh
sh /tmp/goal.sh < /dev/null > /tmp/out 2>&1
if [ $? = 9 ]; then cat /tmp/out >&2; exit 9; fi
jq -n --rawfile text /tmp/out '{structural_type: "Terminal", artefact_type: "Done", artefact_payload: $text, summary: ""}'
`;
const agents = ["shut", "board", "builder", "open", "other", "direct"];

let folder: string;
let sett: SettWorkspace;
let secure: ReturnType<typeof Bun.serve>;
let plain: ReturnType<typeof Bun.serve>;
const here = "host.docker.internal";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-network-"));
  // A repository as any web server can serve it.
  await $`git init --quiet seed && git -C seed -c user.name=A -c user.email=a@a.invalid commit --quiet --allow-empty -m One && git clone --quiet --bare seed repository.git && git -C repository.git update-server-info`
    .cwd(folder)
    .quiet();
  await $`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${here} -keyout key.pem -out cert.pem`
    .cwd(folder)
    .quiet();
  const fetch = async (request: Request) => {
    const file = Bun.file(join(folder, new URL(request.url).pathname));
    return (await file.exists()) ? new Response(file) : new Response("", { status: 404 });
  };
  const certificate = {
    key: Bun.file(join(folder, "key.pem")),
    cert: Bun.file(join(folder, "cert.pem")),
  };
  secure = Bun.serve({ port: 0, hostname: "0.0.0.0", tls: certificate, fetch });
  plain = Bun.serve({ port: 0, hostname: "0.0.0.0", fetch });
  sett = await SettWorkspace.create({
    ...Object.assign({}, ...agents.map((agent) => scriptAgent(agent, runner))),
    "sett.yml": settYml({
      shut: `${bidByName("shut")}    network: none\n`,
      board: bidByName("board"),
      builder: `${bidByName("builder")}    egress: ["${here}:${secure.port}", "${here}:${plain.port}"]\n`,
      open: `${bidByName("open")}    network: open\n    egress: ["${here}:${plain.port}"]\n`,
      other: `${bidByName("other")}    network: direct\n`,
      direct: `${bidByName("direct")}    network: direct\n`,
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  await secure?.stop(true);
  await plain?.stop(true);
  await rm(folder, { recursive: true, force: true });
});

/** Returns what the agent's command has written when it has done this. */
async function outputOf(agent: string, script: string): Promise<string> {
  const out = await sett.need("forage", "--watch", "--json", "--goal", `${agent}: ${script}`);
  return (
    (await sett.artefacts(JSON.parse(out).id)).find(({ type }) => type === "Done")?.payload ?? ""
  );
}

const tried = (host: string, port: number) =>
  `timeout 5 bash -c 'exec 3<>/dev/tcp/${host}/${port}' 2> /dev/null && echo reached ${host}:${port}`;

async function addressOf(part: string, network: string): Promise<string> {
  const found = JSON.parse(await $`docker inspect sett-${sett.name}-${part}`.text());
  return found[0].NetworkSettings.Networks[network]?.IPAddress ?? "";
}

/** All that belongs to the instance and listens: address and port. */
async function services(): Promise<[string, number][]> {
  const inside = `sett-${sett.name}`;
  const redis = await addressOf("redis", inside);
  const orchestrator = await addressOf("orchestrator", inside);
  const open = `${inside}.open`;
  const others = await Promise.all(["egress", "agent-other"].map((part) => addressOf(part, open)));
  const all: [string, number][] = [
    [redis, 6379],
    [orchestrator, 8080],
    ...others.map((address): [string, number] => [address, 8080]),
  ];
  expect(all.map(([address]) => address)).not.toContain("");
  return all;
}

/** This machine, by the address that containers have for it, and what clouds answer at. */
async function machine(): Promise<[string, number][]> {
  const [ipam] = JSON.parse(
    await $`docker network inspect bridge --format ${"{{json .IPAM.Config}}"}`.text(),
  );
  // An Engine that has started for the first time has written down no more than the subnet of its
  // own bridge.
  const gateway: string = ipam.Gateway ?? ipam.Subnet.replace(/\.\d+\/\d+$/, ".1");
  return [
    [gateway, plain.port ?? 0],
    ["169.254.169.254", 80],
    [here, plain.port ?? 0],
  ];
}

test.each(["shut", "board", "builder", "open"])(
  "%s has no network: no other part, no machine, no name",
  async (agent) => {
    const all = [...(await services()), ...(await machine())];
    const script = [
      ...all.map(([host, port]) => tried(host, port)),
      `sed -n 's/^ *\\([^ :]*\\):.*/\\1/p' /proc/net/dev`,
      `getent hosts ${here} redis example.org`,
    ];
    expect(await outputOf(agent, `${script.join("; ")}; true`)).toBe("lo\n");
  },
);

test("a command that fails for want of a network leaves a Failure that says so", async () => {
  const goal = await sett.forage("builder: git ls-remote https://git.example.org/a.git; exit 9");
  const failure = await waitFor("the Failure", async () =>
    (await sett.artefacts(goal)).find(({ type }) => type === "ToolExecutionFailure"),
  );
  expect(JSON.parse(failure.payload).reason).toContain("`sett logs egress` has what was refused");
});

test("each sees the sockets that it needs, and of the proxy its own alone", async () => {
  const list = "cd /run/sett && find . -type s | sort | xargs";
  const usual = "./recorder/recorder.sock ./redis/redis.sock\n";
  expect(await outputOf("shut", list)).toBe(usual);
  expect(await outputOf("board", list)).toBe(usual);
  for (const agent of ["builder", "open"])
    expect(await outputOf(agent, list)).toBe(`./egress/egress.sock ${usual}`);
  expect(
    await outputOf(
      "builder",
      "rm -f /run/sett/*/*.sock; touch /run/sett/redis/a /run/sett/egress/a; true",
    ),
  ).toContain("Read-only file system");
  expect(await outputOf("board", "env | grep -i proxy; true")).toBe("");
});

const clone = (url: string) =>
  `rm -rf c; git -c http.sslVerify=false clone --quiet ${url} c && git -C c log --format=%s`;

/** Asks the proxy for a way to each of these, and writes the status of each answer. */
function askedByProxy(places: readonly (readonly [string, number])[]): string {
  return answersOfProxy(places.map(([host, port]) => `CONNECT ${host}:${port}`));
}

function answersOfProxy(requests: readonly string[]): string {
  const ask = (request: string) =>
    `exec 3<>/dev/tcp/\${proxy}; printf '${request} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' >&3; head -c 12 <&3; echo; exec 3>&-`;
  const script = requests.map(ask).join("\n");
  return `export proxy=$(echo $HTTPS_PROXY | sed 's,^http://,,; s,:\\([0-9]*\\)$,/\\1,'); cat > /tmp/ask.sh <<'END'\n${script}\nEND\nbash /tmp/ask.sh`;
}

describe("with egress", () => {
  test("a command reaches what it names, by TLS and by plain HTTP, with programs that know nothing of Sett", async () => {
    expect(await outputOf("builder", clone(`https://${here}:${secure.port}/repository.git`))).toBe(
      "One\n",
    );
    expect(await outputOf("builder", clone(`http://${here}:${plain.port}/repository.git`))).toBe(
      "One\n",
    );
  });

  test("it reaches nothing else by the proxy: no other port, no part of the instance, no address of a machine itself", async () => {
    const all = [
      ...(await services()),
      ...(await machine()).slice(0, 2),
      [here, 22] as const,
      ["127.0.0.1", 8080] as const,
    ];
    expect(await outputOf("builder", askedByProxy(all))).toBe("HTTP/1.1 403\n".repeat(all.length));
  });

  test("who connected where is in the log of the proxy", async () => {
    const lines = async () =>
      (await sett.need("logs", "egress"))
        .split("\n")
        .flatMap((line) =>
          line.includes('"agent":"builder"') ? [JSON.parse(line.slice(line.indexOf("{")))] : [],
        );
    await waitFor("the lines", async () => {
      const found = await lines();
      const passed = found.some(
        ({ msg, host, port }) =>
          msg === "Passed a connection on" && host === here && port === secure.port,
      );
      return (
        passed && found.some(({ msg, port }) => msg === "Refused a connection" && port === 6379)
      );
    });
  });
});

describe("an open agent", () => {
  nightly("may connect to every public host, at any port", async () => {
    // Whether there is a way to the internet here is another question: what the proxy does not
    // allow is 403.
    const answers = await outputOf(
      "open",
      askedByProxy([
        ["192.0.46.9", 9],
        ["[2620:0:2830:200::b:9]", 22],
      ]),
    );
    expect(answers).toMatch(/^(?:HTTP\/1.1 (?:200|502)\n){2}$/);
  });

  test("reaches no part of the instance, no other agent, not this machine, no private network and no link-local address", async () => {
    const own = Object.values(networkInterfaces()).flatMap(
      (each) => each?.map(({ address, family }) => [address, family]) ?? [],
    );
    const ownAddresses = own.map(([address = "", family]) =>
      family === "IPv6" ? `[${address}]` : address,
    );
    const otherWays = [
      "2852039166",
      "0xa9fea9fe",
      "169.254.43518",
      "[::ffff:169.254.169.254]",
      "[64:ff9b::a9fe:a9fe]",
      "localhost",
    ];
    const all: [string, number][] = [
      ...(await services()),
      ...(await machine()).slice(0, 2),
      [here, secure.port ?? 0],
      ...[
        ...ownAddresses,
        ...otherWays,
        "10.0.0.1",
        "192.168.0.1",
        "100.100.100.200",
        "[fd00:ec2::254]",
      ].map((host): [string, number] => [host, plain.port ?? 0]),
    ];
    const answers = (await outputOf("open", askedByProxy(all))).trim().split("\n");
    expect(answers).toHaveLength(all.length);
    // A name that is none is 502.
    const reached = all.filter((_, index) => !/^HTTP\/1.1 (?:403|502)$/.test(answers[index] ?? ""));
    expect(reached).toEqual([]);
  });

  nightly("reaches none of them by plain HTTP either", async () => {
    const [gateway = ["", 0]] = await machine();
    const places = [
      `${gateway.join(":")}/`,
      "169.254.169.254/latest/meta-data/",
      "127.0.0.1:8080/internal/state",
    ];
    const answers = await outputOf(
      "open",
      answersOfProxy(places.map((place) => `GET http://${place}`)),
    );
    expect(answers).toBe("HTTP/1.1 403\n".repeat(places.length));
  });

  test("reaches the private host that its egress names, and that one alone", async () => {
    expect(await outputOf("open", clone(`http://${here}:${plain.port}/repository.git`))).toBe(
      "One\n",
    );
  });
});

nightly("the doctor names the agent that has a network without a proxy", async () => {
  const { out } = await sett.sett("doctor", "--json");
  const findings: { subject: string; check: string; level: string }[] = JSON.parse(out).findings;
  const levels = findings
    .filter(({ check }) => check === "network")
    .map(({ subject, level }) => [subject, level]);
  expect(Object.fromEntries(levels)).toEqual({
    ...Object.fromEntries(
      ["shut", "board", "builder", "open"].map((agent) => [`agent ${agent}`, "ok"]),
    ),
    ...Object.fromEntries(["other", "direct"].map((agent) => [`agent ${agent}`, "warning"])),
  });
});

nightly(
  "a direct agent reaches this machine, but no part of the instance and no other agent",
  async () => {
    const [gateway = ["", 0]] = await machine();
    const all = [...(await services()), gateway];
    expect(
      await outputOf("direct", `${all.map(([host, port]) => tried(host, port)).join("; ")}; true`),
    ).toBe(`reached ${gateway.join(":")}\n`);
  },
);
