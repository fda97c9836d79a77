// `just bench`: all figures, or with --only api those of the API, or with --only ratios [--quick] the table of ratios alone, for which no program is compiled and no image built.
import process from "node:process";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  strict: false,
  options: { only: { type: "string" }, quick: { type: "boolean", default: false } },
});
switch (options.only) {
  case undefined:
    await import("./all-figures.ts");
    break;
  case "ratios":
    await (await import("./ratios.ts")).printRatios(options.quick === true);
    process.exit();
    break;
  case "api":
    console.log(await (await import("./api-side.ts")).apiFigures(50_000, 5_000));
    process.exit();
    break;
  default:
    throw new Error(`There are --only ratios and --only api, and not ${options.only}.`);
}
