// Judges one part of an instance: how its container is isolated, what it was given, and what image
// it is made of.
import { kernelText } from "../../../lib/model/isolation.ts";
import type { ContainerSurvey } from "../../../lib/runtime/docker/survey.ts";
import type { ImageInfo } from "../../../lib/runtime/port.ts";
import type { Finding } from "../facts/finding.ts";
import { serviceOfPart } from "../services/services.ts";
import type { PartFacts, Silent } from "./facts.ts";
import { networkFinding, policyFinding } from "./judge-network.ts";
import { limitsFinding, stateFinding, waitingFindings } from "./judge-running.ts";
import { secretVariables } from "./secret-variables.ts";

/**
 * `subject`: the name of the part; `container`: that of its container. `engine`: the architecture
 * of the machine. `version`: of sett. `up`: the command that updates the part. `isRootless`: the
 * Engine runs without root. `isElsewhere`: it is on a machine whose files and ports are not here.
 */
type Context = {
  subject: string;
  container: string;
  engine: string | undefined;
  version: string;
  up: string;
  isRootless: boolean;
  isElsewhere: boolean;
};

export function judgePart(
  { part, survey, image, unanswered }: PartFacts,
  context: Context,
): Finding[] {
  const isService = !["agent", "worker"].includes(part.labels.component);
  return [
    ...(unanswered === undefined ? [] : [silenceFinding(unanswered, context)]),
    ...stateFinding(part, survey?.failedCheck, context),
    ...waitingFindings(part, context.subject),
    versionFinding(part.labels.version, context),
    ...(survey === undefined
      ? isService || unanswered !== undefined
        ? []
        : policyFinding(part.env, context.subject)
      : [
          portsFinding(survey, part, context),
          rootFinding(survey, isService, context),
          rightsFinding(survey, context),
          ...(isService
            ? []
            : [
                networkFinding(survey, context),
                limitsFinding(survey, context),
                kernelFinding(survey, context),
                ...volumesFinding(survey, context),
              ]),
        ]),
    secretsFinding(part.env, context, survey !== undefined),
    ...(image === undefined
      ? []
      : [imageFinding(part.image.tag, image, context), ...architectureFinding(image, context)]),
  ];
}

function silenceFinding({ message, hint }: Silent, { subject }: Context): Finding {
  const why = "How it is isolated is not known.";
  return { subject, check: "answer", level: "problem", found: message, why, remedy: hint };
}

function versionFinding(made: string, { subject, version, up }: Context): Finding {
  const base = { subject, check: "made by" };
  if (made === version) return { ...base, level: "ok", found: `sett ${made}` };
  const why = `This is sett ${version}. Parts of two versions may not understand each other.`;
  return {
    ...base,
    level: "warning",
    found: `sett ${made || "of an unknown version"}`,
    why,
    remedy: `\`${up}\``,
  };
}

const loopback = /^(?:127\.|::1$)/;

function portsFinding(
  { ports }: ContainerSurvey,
  { labels, env }: PartFacts["part"],
  { subject, container, up }: Context,
): Finding {
  const base = { subject, check: "ports" };
  const open = ports.filter(({ address }) => !loopback.test(address));
  const nameOf = ({ port, address, hostPort }: ContainerSurvey["ports"][number]) =>
    `${port} at ${address || "every address"}, port ${hostPort}`;
  if (open.length === 0) {
    return {
      ...base,
      level: "ok",
      found: ports.length === 0 ? "none are published" : ports.map(nameOf).join("; "),
    };
  }
  const found = open.map(nameOf).join("; ");
  // A setting says so, and needs a certificate or a proxy in front of it.
  const allowed = serviceOfPart(labels)?.isOpenToOthers;
  if (allowed !== undefined) {
    if (env[allowed.certificate] !== undefined)
      return { ...base, level: "ok", found: `${found}, with TLS and tokens` };
    const plain = "Tokens travel as they are, unless a proxy in front of it encrypts.";
    return {
      ...base,
      level: "note",
      found: `${found}, without TLS`,
      why: plain,
      remedy: `\`${allowed.setting}\` in sett.yml.`,
    };
  }
  const why = "Every machine that reaches this one can connect. Sett publishes on 127.0.0.1 only.";
  return { ...base, level: "problem", found, why, remedy: remade(container, up) };
}

/** Between its command and the machine. */
function kernelFinding({ runtime }: ContainerSurvey, { subject }: Context): Finding {
  const isShared = /^(?:runc|crun|io\.containerd\.runc\.v\d)$/.test(runtime);
  const found = isShared ? `that of the machine (${runtime})` : kernelText(runtime);
  return { subject, check: "kernel", level: "ok", found };
}

/** A service of Sett needs no writable root; an agent's command may. */
function rootFinding(
  { isRootReadOnly }: ContainerSurvey,
  isService: boolean,
  { subject, container, up }: Context,
): Finding {
  const base = { subject, check: "root file system" };
  if (isRootReadOnly) return { ...base, level: "ok", found: "read-only" };
  if (!isService) {
    return {
      ...base,
      level: "note",
      found: "writable, by `writable_root` or as a dev container",
      why: "What a command changes there stays until the container is replaced.",
      remedy:
        "Leave out `writable_root`, or have a new container for each grant: `strategy: fresh_per_call` in sett.yml.",
    };
  }
  const why = "Sett makes it read-only: what breaks in can change no program.";
  return { ...base, level: "warning", found: "writable", why, remedy: remade(container, up) };
}

function volumesFinding({ imageVolumes }: ContainerSurvey, { subject }: Context): Finding[] {
  if (imageVolumes.length === 0) return [];
  const found = `the image declares ${imageVolumes.join(", ")} as VOLUME`;
  const why =
    "What a command writes there stays for the next grant, and `resources.limits.disk` does not count it.";
  const remedy =
    "Take an image without VOLUME, or a new container for each grant: `strategy: fresh_per_call` in sett.yml.";
  return [{ subject, check: "volumes", level: "warning", found, why, remedy }];
}

function rightsFinding(
  survey: ContainerSurvey,
  { subject, container, up, isRootless, isElsewhere }: Context,
): Finding {
  const { user, isPrivileged, capabilities, canGainPrivileges } = survey;
  const base = { subject, check: "rights" };
  // In a rootless Engine it is the user who runs the Engine.
  const isRoot = !isRootless && /^(?:|0|root)(?::|$)/.test(user);
  // No group is known that may use the socket of an Engine elsewhere.
  const holders = ["starter", "log-reader"];
  const isHolder = isElsewhere && user === "0:0" && holders.includes(subject);
  const excess = [
    ...(isPrivileged ? ["it is privileged"] : []),
    ...(capabilities.added.length > 0
      ? [`it has the capabilities ${capabilities.added.join(", ")}`]
      : []),
    ...(capabilities.isAllDropped ? [] : ["it keeps the Engine's capabilities"]),
    ...(canGainPrivileges ? ["it may gain privileges"] : []),
    ...(isRoot && !isHolder ? ["it runs as root"] : []),
  ];
  if (excess.length === 0)
    return { ...base, level: "ok", found: `user ${user}, no capabilities, gains no privileges` };
  const isSerious = isPrivileged || capabilities.added.length > 0;
  const why = "What breaks out of the container has these rights on this machine.";
  return {
    ...base,
    level: isSerious ? "problem" : "warning",
    found: excess.join("; "),
    why,
    remedy: remade(container, up),
  };
}

function secretsFinding(
  env: Readonly<Record<string, string>>,
  { subject, up }: Context,
  isOfEngine: boolean,
): Finding {
  const base = { subject, check: "secrets" };
  const names = secretVariables(env);
  if (names.length === 0) return { ...base, level: "ok", found: "none in the environment" };
  return {
    ...base,
    level: "warning",
    found: `in the environment: ${names.join(", ")}`,
    why: isOfEngine
      ? "Every program in the container can read them, and every user of the Engine (`docker inspect`)."
      : "Every program of the part can read them, and in a cluster all who may read Secrets of the namespace.",
    remedy: `In sett.yml a key of a model belongs to \`models\`, and a token of a command to \`secrets\`: move it there, then \`${up}\`.`,
  };
}

const versionLabel = "org.opencontainers.image.version";
const titleLabel = "org.opencontainers.image.title";

function imageFinding(
  tag: string,
  { digest, labels }: ImageInfo,
  { subject, version, up }: Context,
): Finding {
  const base = { subject, check: "image" };
  const [title, made] = [labels[titleLabel] ?? "", labels[versionLabel]];
  // An image that is made from one of Sett's has its labels, too.
  if (title.startsWith("sett/") && tag.startsWith(`${title}:`) && made !== undefined) {
    const found = `${tag}, Sett's own, of ${made}`;
    if (made === version || made === `v${version}`) return { ...base, level: "ok", found };
    return {
      ...base,
      level: "warning",
      found,
      why: `This is sett ${version}.`,
      remedy: `\`${up}\``,
    };
  }
  if (tag.includes("@sha256:"))
    return { ...base, level: "ok", found: `${tag}, named by its digest` };
  if (labels["dev.sett.instance"] !== undefined)
    return { ...base, level: "ok", found: `${tag}, built by \`sett up\`` };
  if (digest === undefined) {
    return {
      ...base,
      level: "note",
      found: `${tag}, from no registry`,
      why: "It was built or loaded on this machine, and nothing says by whom.",
      remedy: "For a recipe on record use `build:` in sett.yml, or push it and name its digest.",
    };
  }
  return {
    ...base,
    level: "note",
    found: `${tag}, pulled by its tag`,
    why: "A registry may give other content for the same tag later.",
    remedy: `Name the digest in sett.yml: image: ${digest}`,
  };
}

function architectureFinding({ architecture }: ImageInfo, { subject, engine }: Context): Finding[] {
  if (engine === undefined || architecture === "" || architecture === engine) return [];
  return [
    {
      subject,
      check: "architecture",
      level: "warning",
      found: `the image is for ${architecture}, the machine is ${engine}`,
      why: "It is emulated: many times slower, and some programs fail.",
      remedy: `Pull or build it for ${engine}: docker pull --platform linux/${engine} IMAGE`,
    },
  ];
}

/**
 * `sett up` keeps a container whose fingerprint is the same, so that a person must remove it first.
 */
function remade(container: string, up: string): string {
  return `Sett makes it otherwise: \`docker rm --force ${container}\`, then \`${up}\`.`;
}
