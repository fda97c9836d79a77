// The one binary is compiled from this: the command line, and the services that it starts as
// processes where there are no containers.
import process from "node:process";

const [, , word, name] = process.argv;
/** Internal: `sett service NAME` runs the program of that name, with the arguments that follow. */
const service =
  word === "service" &&
  (name === "api" || name === "cub" || name === "gateway" || name === "orchestrator")
    ? name
    : undefined;
if (service !== undefined) process.argv.splice(2, 2);

switch (service) {
  case "orchestrator":
    await import("./orchestrator/main.ts");
    break;
  case "gateway":
    await import("./gateway/main.ts");
    break;
  case "api":
    await import("./api/main.ts");
    break;
  case "cub":
    await import("./cub/main.ts");
    break;
  default:
    await import("./cli/main.ts");
}
