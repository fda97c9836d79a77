// Judges the Docker Engine.
import type { Finding } from "../facts/finding.ts";
import type { EngineFacts } from "./facts.ts";
import { clockFinding, diskFinding, isAtLeast } from "./measures.ts";

const subject = "engine";

/**
 * The API of Engine 20.10, the first that resolves `host-gateway`, by which containers reach this
 * machine.
 */
const minApi = [1, 41] as const;

/** `isNeeded`: false where the instance runs without Docker. */
export function judgeEngine(engine: EngineFacts, isNeeded: boolean): Finding[] {
  if (engine.state === "silent") {
    const why = isNeeded
      ? "Without an Engine sett starts no containers, and does not find those that run."
      : "This instance runs as processes; those in containers need an Engine.";
    return [
      {
        subject,
        check: "answer",
        level: isNeeded ? "problem" : "note",
        found: engine.message,
        why,
        remedy: engine.hint,
      },
    ];
  }
  return [
    versionFinding(engine),
    usersFinding(engine),
    filterFinding(engine, "seccomp"),
    filterFinding(engine, "apparmor"),
    limitsFinding(engine),
    buildKitFinding(engine),
    ...(engine.disk === undefined
      ? []
      : [
          diskFinding(
            subject,
            engine.disk,
            "Remove images and build caches that nothing uses: `docker system prune`.",
          ),
        ]),
    ...(Number.isNaN(engine.time.atMs) ? [] : [clockFinding(subject, engine.time)]),
  ];
}

type Answer = Extract<EngineFacts, { state: "answers" }>;

function versionFinding({ version, api, architecture }: Answer): Finding {
  const base = { subject, check: "version", found: `${version}, API ${api}, ${architecture}` };
  if (isAtLeast(api, minApi)) return { ...base, level: "ok" };
  return {
    ...base,
    level: "warning",
    why: "Sett is tested with API 1.41 (Engine 20.10) and newer; an older Engine does not know `host-gateway`.",
    remedy: "Install a newer Docker Engine: https://docs.docker.com/engine/install/",
  };
}

function usersFinding({ security }: Answer): Finding {
  const base = { subject, check: "user namespaces" };
  const on = security.find((name) => name === "rootless" || name === "userns");
  if (on === undefined) {
    return {
      ...base,
      level: "note",
      found: "off: root of a container is root of this machine",
      why: "Sett's containers run without root and without capabilities. Containers of others may not.",
      remedy:
        "Nothing for Sett. Let no one use the Engine whom you would not give root: `getent group docker`.",
    };
  }
  if (on === "rootless") return { ...base, level: "ok", found: "on: the Engine runs without root" };
  return {
    ...base,
    level: "note",
    found: "on: userns-remap",
    why: "Users of containers are other users on this machine. Only root can give them the folders in which agents leave commits.",
    remedy:
      "Where an agent has `workspace: { mode: rw }`, run `sett up` as root. Others need nothing.",
  };
}

function filterFinding({ security }: Answer, name: "seccomp" | "apparmor"): Finding {
  const base = { subject, check: name };
  if (security.includes(name)) return { ...base, level: "ok", found: "on" };
  if (name === "seccomp") {
    return {
      ...base,
      level: "warning",
      found: "off, or without a profile",
      why: "Without it a container may make every system call of the kernel.",
      remedy: "Remove `seccomp-profile` from /etc/docker/daemon.json, and restart the Engine.",
    };
  }
  return {
    ...base,
    level: "note",
    found: "off",
    why: "It is a second barrier around containers. Some systems have SELinux instead, or neither.",
    remedy: "On Debian and Ubuntu: install `apparmor`, then restart the Engine.",
  };
}

function limitsFinding({ limits, warnings, security }: Answer): Finding {
  const missing = Object.entries(limits).flatMap(([name, isThere]) => (isThere ? [] : [name]));
  const base = { subject, check: "limits" };
  if (missing.length === 0)
    return { ...base, level: "ok", found: "memory, pids and cpu can be limited" };
  return {
    ...base,
    level: "warning",
    found: [`no limits of ${missing.join(", ")}`, ...warnings].join("; "),
    why: "`resources` of sett.yml and the limit of processes have no effect: one agent can take the whole machine.",
    remedy: security.includes("rootless")
      ? "A rootless Engine needs cgroup v2, and systemd to delegate them to its user: https://docs.docker.com/engine/security/rootless/"
      : "Enable the cgroup controllers of the kernel. On Debian: `cgroup_enable=memory` in GRUB_CMDLINE_LINUX, then reboot.",
  };
}

function buildKitFinding({ lackOfBuildKit: lack }: Answer): Finding {
  const base = { subject, check: "buildkit" };
  if (lack === undefined) return { ...base, level: "ok", found: "`docker build` has it" };
  return {
    ...base,
    level: "note",
    found: `not here: ${lack}`,
    why: "A Dockerfile with a heredoc, `COPY --link` or `RUN --mount` is built by BuildKit alone; all others are built without it.",
    remedy:
      "Where an agent has such a Dockerfile, install Docker's buildx: the package docker-buildx or docker-buildx-plugin.",
  };
}
