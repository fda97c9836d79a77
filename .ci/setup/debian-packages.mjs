// Which of Debian's packages are missing, and may we install them?

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { isInstalled, run, say } from "./shell.mjs";

const policyPath = "/usr/sbin/policy-rc.d";
let isListFresh = false;

/**
 * True for root on a Debian (or a descendant of it): then missing packages are installed without
 * asking.
 */
export function canInstallPackages() {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version") && isInstalled("apt-get");
}

/**
 * Installs packages by name. Services that they bring along are not started: the set-up starts what
 * it needs itself.
 */
export function installPackages(names) {
  say(`installing from Debian's packages: ${names.join(", ")}`);
  const isPolicyOurs = !existsSync(policyPath);
  if (isPolicyOurs) {
    writeFileSync(policyPath, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  }
  try {
    if (!isListFresh) {
      run("apt-get", ["update", "-qq"], { isQuiet: true });
      isListFresh = true;
    }
    run("apt-get", ["install", "-y", "-qq", ...names], {
      env: { DEBIAN_FRONTEND: "noninteractive", NEEDRESTART_MODE: "l" },
      isQuiet: true,
    });
  } finally {
    if (isPolicyOurs) {
      rmSync(policyPath);
    }
  }
}

/**
 * Makes sure that programs are installed, named as `{ program: package }`. Where it cannot install
 * them, it only says so.
 */
export function ensurePrograms(packageByProgram) {
  const missing = Object.entries(packageByProgram).filter(([program]) => !isInstalled(program));
  if (missing.length === 0) {
    return;
  }
  if (canInstallPackages()) {
    installPackages(missing.map(([, name]) => name));
  } else {
    const programs = missing.map(([program]) => program).join(", ");
    say(`${programs} not found: the steps that need it fail until you install it`);
  }
}
