// An Engine that is reached by TLS and by ssh: each kind of request, and each way to fail.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHash, randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { SettError } from "../../../lib/model/errors.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import {
  type EngineByTls,
  startEngineByTls,
  startSilentPort,
} from "../../support/docker/engine-by-tls.ts";
import { canStartSsh, startSshServer } from "../../support/docker/ssh-server.ts";
import { isNight, nightly } from "../../support/nightly.ts";

// Each list of parts waits for an Engine that makes and removes others' containers meanwhile.
setDefaultTimeout(600_000);

const engine = process.env.DOCKER_HOST || "unix:///var/run/docker.sock";
type Env = Readonly<Record<string, string | undefined>>;

const withTls = ({ host, folder }: EngineByTls): Env => ({
  PATH: process.env.PATH,
  ...{ DOCKER_HOST: host, DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: folder },
});

/** Requests with an answer, with a stream in both directions, and several at once. */
async function expectEngine(env: Env): Promise<void> {
  const { observe, apply } = await dockerRuntime({ env });
  expect((await observe.check()).version).toMatch(/^\d+\./);
  const name = InstanceName.parse(`far-${randomUUID().slice(0, 8)}`);
  const lock = await apply.lock(name, "a test");
  if (lock.outcome !== "held") throw new Error("The lock is not free.");
  await using _ = lock;
  await Promise.all(Array.from({ length: isNight ? 12 : 4 }, () => observe.parts(name)));
}

async function refusalOf(
  env: Env,
  onSlow?: (sentence: string) => void,
): Promise<{ message: string; hint: string }> {
  const answer = await dockerRuntime({ env, ...(onSlow && { onSlow }) })
    .then(({ observe }) => observe.check())
    .catch((error: unknown) => error);
  if (!(answer instanceof SettError)) throw new Error(`No refusal: ${JSON.stringify(answer)}`);
  expect(answer.code).toBe("docker-unreachable");
  return { message: answer.message, hint: answer.hint ?? "" };
}

describe("an Engine with TLS", () => {
  test("is reached with the certificates of DOCKER_CERT_PATH, and with those of a context", async () => {
    await using there = await startEngineByTls();
    await expectEngine(withTls(there));
    const home = await mkdtemp(join(tmpdir(), "home-"));
    try {
      const id = createHash("sha256").update("build").digest("hex");
      const contexts = join(home, ".docker/contexts");
      await mkdir(join(contexts, "meta", id), { recursive: true });
      const meta = { Name: "build", Endpoints: { docker: { Host: there.host } } };
      await writeFile(join(contexts, "meta", id, "meta.json"), JSON.stringify(meta));
      for (const file of ["ca.pem", "cert.pem", "key.pem"])
        await cp(join(there.folder, file), join(contexts, "tls", id, "docker", file));
      await expectEngine({ HOME: home, DOCKER_CONTEXT: "build" });
    } finally {
      await rm(home, { recursive: true });
    }
  });

  nightly(
    "is refused where another authority has signed, the certificate has expired or is another's",
    async () => {
      await using there = await startEngineByTls();
      await using expired = await startEngineByTls({ isExpired: true });
      await using other = await startEngineByTls({ names: "DNS:other.example.org" });
      const strange = { ...withTls(there), DOCKER_CERT_PATH: expired.folder };
      const cases: [Env, RegExp][] = [
        [strange, /certificate/i],
        [withTls(expired), /expired/],
        [withTls(other), /127\.0\.0\.1/],
        [{ ...withTls(there), DOCKER_TLS_VERIFY: "" }, /ended before an answer|no Docker Engine/],
        [{ ...withTls(there), DOCKER_CERT_PATH: join(there.folder, "gone") }, /certificate/i],
      ];
      for (const [env, reason] of cases) {
        const { message, hint } = await refusalOf(env);
        expect(message).toMatch(reason);
        expect(hint).toContain(env.DOCKER_HOST ?? "");
      }
      const unverified = { ...withTls(other), DOCKER_TLS_VERIFY: "", DOCKER_TLS: "1" };
      await expectEngine(unverified);
    },
  );

  nightly("is refused where the folder has half of what it needs", async () => {
    await using there = await startEngineByTls();
    await rm(join(there.folder, "key.pem"));
    expect((await refusalOf(withTls(there))).message).toContain("has cert.pem alone");
  });

  nightly(
    "that says nothing is given up within ten seconds, and not called slow before",
    async () => {
      using silent = await startSilentPort();
      await using there = await startEngineByTls();
      const env = { ...withTls(there), DOCKER_HOST: silent.host };
      const said: string[] = [];
      const { message } = await refusalOf(env, (sentence) => said.push(sentence));
      expect(message).toContain("no connection within 8 s");
      expect(said).toEqual([]);
    },
  );
});

describe.skipIf(!canStartSsh)("an Engine by ssh", () => {
  test("is reached by the person's own ssh, which proves once who it is", async () => {
    await using there = await startSshServer(engine);
    await expectEngine(there.env);
    expect(await there.connections()).toBe(1);
    const path = { ...there.env, DOCKER_HOST: `ssh://root@build${engine.replace("unix://", "")}` };
    await expectEngine(path);
  });

  nightly("is reached anew where the way that the person keeps open answers nothing", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sett-way-"));
    const kept = { ControlMaster: "auto", ControlPath: join(folder, "way"), ControlPersist: "yes" };
    await using there = await startSshServer(engine, () => [], {}, kept);
    await $`ssh build true`.env(there.env).quiet();
    {
      using _ = await there.freeze();
      await expectEngine(there.env);
    }
    await $`ssh -O exit build`.env(there.env).quiet().nothrow();
    await rm(folder, { recursive: true });
  });

  test("is reached where the temporary folder has a path too long for a socket", async () => {
    await using there = await startSshServer(engine);
    const { TMPDIR: before } = process.env;
    const folder = join(tmpdir(), `sett-${"long-".repeat(20)}`);
    await mkdir(folder, { recursive: true });
    process.env.TMPDIR = folder;
    try {
      await expectEngine(there.env);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
      await rm(folder, { recursive: true });
    }
  });

  nightly(
    "is reached where that machine forwards no sockets, or runs one command alone",
    async () => {
      const settings = [
        { AllowStreamLocalForwarding: "no" },
        { ForceCommand: "docker system dial-stdio" },
      ];
      for (const more of settings) {
        await using there = await startSshServer(engine, () => [], more);
        await expectEngine(there.env);
      }
    },
  );

  nightly("many commands in containers at once need no further connection", async () => {
    await using there = await startSshServer(engine);
    await using at = await dockerInstance();
    const { id } = await at.run("sleep 600");
    const { observe } = await dockerRuntime({ env: there.env });
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) => observe.exec(id, ["echo", `${index}`])),
    );
    expect(all.map(({ stdout }) => Number(stdout))).toEqual([...all.keys()]);
    expect(await there.connections()).toBe(1);
  });

  test("is refused with a reason and a way out where its key changed, it takes no key, or has no Engine", async () => {
    await using there = await startSshServer(engine);
    await using lost = await startSshServer("unix:///no/such.sock");
    const expectRefusal = async (env: Env, reason: string, way: string) => {
      const { message, hint } = await refusalOf(env);
      expect(message).toContain(`through ssh (${env.DOCKER_HOST})`);
      expect(message).toContain(reason);
      expect(hint).toContain(way);
    };
    const { env } = there;
    await expectRefusal(lost.env, "no such file or directory", "`ssh build docker version`");
    await expectRefusal({ ...env, PATH: "/nowhere" }, "no program `ssh`", "Install it");
    const password = { ...env, DOCKER_HOST: "ssh://root:secret@build" };
    expect((await refusalOf(password)).message).not.toContain("secret");
    await there.refuseKey();
    await expectRefusal(env, "sett answers no question of ssh", "ssh-add");
    await there.changeKey();
    await expectRefusal(env, "its host key is not the one that is known", "ssh-keygen -R HOST");
  });

  nightly(
    "that says nothing is given up within ten seconds, and not called slow before",
    async () => {
      await using there = await startSshServer(engine);
      await there.fallSilent();
      const { message, hint } = await refusalOf(there.env);
      expect(message).toContain("does not answer in time");
      expect(hint).toContain("`ssh build true`");
      await there.cut();
    },
  );

  nightly(
    "that is cut off in the middle is said to be, and is reached again by the next request",
    async () => {
      await using there = await startSshServer(engine);
      const { observe } = await dockerRuntime({ env: there.env });
      await observe.check();
      await there.cut();
      const answers = await Promise.allSettled([observe.check(), observe.check()]);
      for (const answer of answers)
        if (answer.status === "rejected") expect(answer.reason.code).toBe("docker-unreachable");
      expect((await observe.check()).version).toMatch(/^\d+\./);
    },
  );
});
