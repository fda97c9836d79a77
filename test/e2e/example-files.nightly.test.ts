// Files as users of what came before Sett would write them: they start as they are, and their
// agents act as soon as they have bids.
import { expect } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { nightly } from "../support/nightly.ts";
import { root } from "../support/root.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

const example = (name: string) => Bun.file(join(root, "test/support/config", name)).text();

const answer = (payload: string) =>
  `jq -n --arg payload "${payload}" '{artefact_type: "Report", artefact_payload: $payload, summary: "done"}'\n`;

/** The same machine, with `@devcontainers/cli` installed or not. */
const path = (isInstalled: boolean) => {
  const others = (process.env.PATH ?? "")
    .split(":")
    .filter((folder) => !folder.endsWith("node_modules/.bin"));
  return [...(isInstalled ? [join(root, "node_modules/.bin")] : []), ...others].join(":");
};

nightly(
  "an agent with prompts and a command ignores everything, which is said, until it has bids; then its workers act",
  async () => {
    const text = await example("whole-agent.sett.yml");
    await using sett = await SettWorkspace.create({
      "sett.yml": text,
      "agents/go-coder/Dockerfile":
        "FROM sett/agent-base:latest\nCOPY run-go-coder.sh /usr/bin/run-go-coder.sh\n",
      "agents/go-coder/run-go-coder.sh": `#!/bin/sh\n${answer("$GITHUB_TOKEN $LOG_LEVEL")}`,
    });
    sett.env = { GITHUB_TOKEN: "a-token" };
    const up = await sett.sett("up", "--name", sett.name);
    expect(up).toMatchObject({
      code: 0,
      err: expect.stringContaining("without one, or `bids`, this agent ignores everything"),
    });
    const ignored = await sett.sett("forage", "--watch", "--goal", "one");
    expect(ignored).toMatchObject({
      code: 1,
      err: expect.stringContaining("No agent worked on it"),
    });

    await sett.write({
      "sett.yml": text.replace(
        "    prompts:",
        "    bids: [{ on: GoalDefined, bid: exclusive }]\n    prompts:",
      ),
    });
    await sett.commit("Let it bid");
    await sett.up();
    const goal = await sett.forage("two");
    const report = await waitFor("the report", async () => (await sett.artefacts(goal))[1]);
    expect(report).toMatchObject({ type: "Report", payload: "a-token debug" });
  },
);

nightly(
  "an agent of a devcontainer with command and bids works as the devcontainer's user",
  async () => {
    const text = await example("devcontainer-agent.sett.yml");
    const devcontainer = (greeting: string) => `{
  // Comments are allowed, and commas at the end.
  "build": { "dockerfile": "Dockerfile", "context": "..", "args": { "FROM_ARGUMENT": "built" } },
  "containerEnv": { "GREETING": "${greeting}, \${localEnv:WHOM}" },
  "remoteEnv": { "PATH": "/opt/tools:\${containerEnv:PATH}" },
  "remoteUser": "dev",
  "postCreateCommand": "mkdir ~/made && id -un > ~/made/by && pwd >> ~/made/by",
  "features": { "./greeter": {} },
  "forwardPorts": [3000],
}`;
    const tool =
      'echo "$GREETING/$(cat /argument)/$(greeter)/$(id -un)/$HOME/$(tr "\\n" " " < ~/made/by)/$(touch ~/again && echo writable)"';
    await using sett = await SettWorkspace.create({
      "sett.yml": text,
      "agents/go-coder/.devcontainer/devcontainer.json": devcontainer("hello"),
      "agents/go-coder/.devcontainer/Dockerfile": [
        "FROM sett/agent-base:latest",
        "USER root",
        "ARG FROM_ARGUMENT",
        "RUN echo dev:x:4321:4321::/home/dev:/bin/sh >> /etc/passwd && echo dev:x:4321: >> /etc/group && mkdir -p /home/dev /opt/tools",
        "RUN chown 4321:4321 /home/dev && echo $FROM_ARGUMENT > /argument",
        "COPY describe /opt/tools/describe",
        "",
      ].join("\n"),
      // One from a folder, since no registry need answer.
      "agents/go-coder/.devcontainer/greeter/devcontainer-feature.json":
        '{ "id": "greeter", "version": "1.0.0", "name": "Greeter" }',
      "agents/go-coder/.devcontainer/greeter/install.sh":
        "#!/bin/sh\necho 'echo featured' > /usr/local/bin/greeter\nchmod +x /usr/local/bin/greeter\n",
      "agents/go-coder/describe": `#!/bin/sh\n${tool}\n`,
    });
    const env = { GITHUB_TOKEN: "a-token", WHOM: "world" };
    sett.env = { ...env, PATH: path(false) };
    expect(await sett.sett("up", "--name", sett.name)).toMatchObject({
      code: 1,
      err: expect.stringContaining("npm install -g @devcontainers/cli"),
    });

    sett.env = { ...env, PATH: path(true) };
    // Until it has a command and bids it ignores everything: the test above.
    const acting = text.replace(
      "    prompts:",
      `    command: ["sh", "-c", ${JSON.stringify(`set -e; ${answer("$(describe)")}`)}]\n    bids: [{ on: GoalDefined, bid: exclusive }]\n    prompts:`,
    );
    await sett.write({ "sett.yml": acting });
    await sett.commit("Let it act");
    await sett.up();
    const payloadOf = async (text: string) => {
      const goal = await sett.forage(text);
      return (await waitFor("the report", async () => (await sett.artefacts(goal))[1])).payload;
    };
    expect(await payloadOf("two")).toBe(
      "hello, world/built/featured/dev//home/dev/dev /workspace /writable",
    );
    const user = (await $`docker exec sett-${sett.name}-agent-go-coder-agent id -u`.text()).trim();
    expect(user).not.toBe("4321");

    await sett.write({
      "agents/go-coder/.devcontainer/devcontainer.json": devcontainer("good morning"),
    });
    await sett.commit("Greet otherwise");
    expect((await sett.sett("up", "--name", sett.name)).err).toContain("building its image");
    expect(await payloadOf("three")).toStartWith("good morning, world/");

    await sett.need("down", "--volumes", "--name", sett.name);
    expect(
      await $`docker image ls --format ${"{{.Repository}}:{{.Tag}}"} sett-${sett.name}-agent-go-coder-agent`.text(),
    ).toBe("");
  },
);
