// Is the tester of OpenAPI documents installed, in the version that is named here?

import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { canInstallPackages, installPackages } from "./debian-packages.mjs";
import { attempt, run, say } from "./shell.mjs";

const schemathesisVersion = "4.32.5";

/** Outside of node_modules' own entries, so that an installation of packages leaves it alone. */
function schemathesisFolder(root) {
  return join(root, "node_modules", ".cache", `schemathesis-${schemathesisVersion}`);
}

/**
 * Installs it from PyPI into an environment of its own. Where there is no Python, it only says so.
 */
export function ensureSchemathesis(root) {
  const folder = schemathesisFolder(root);
  if (existsSync(join(folder, "bin", "schemathesis"))) return;
  const hasPython = () => attempt("python3", ["-c", "import ensurepip, venv"]).isSuccess;
  if (!hasPython() && canInstallPackages()) installPackages(["python3-venv"]);
  if (!hasPython())
    return say(
      "python3 with venv not found: the test of the API's document fails until you install it",
    );
  say(`installing schemathesis ${schemathesisVersion}`);
  mkdirSync(dirname(folder), { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  run("python3", ["-m", "venv", folder], { isQuiet: true });
  try {
    const pip = join(folder, "bin", "python3");
    run(
      pip,
      [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        `schemathesis==${schemathesisVersion}`,
      ],
      {
        isQuiet: true,
      },
    );
  } catch (error) {
    renameSync(folder, `${folder}.failed`);
    rmSync(`${folder}.failed`, { recursive: true, force: true });
    throw error;
  }
}
