// `just bench`: all figures. With --only api those of the API, with --only page those of the page,
// with --only ratios [--quick] the table of ratios, with --only costs [--scene NAME] what a claim
// costs, with --only repositories [--quick] what large repositories cost, with --only packs
// [--quick] what packs by a service cost, with --only far [--quick] [--before PROGRAM] what an
// Engine elsewhere and reaching by TLS cost, with --only proof [--quick] what sealing and verifying
// cost, with --only cluster [--quick] what a Kubernetes cluster costs. No program is compiled and
// no image built for these, but for --only page, and sett-verify for --only proof.
import process from "node:process";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  strict: false,
  options: {
    only: { type: "string" },
    scene: { type: "string" },
    quick: { type: "boolean", default: false },
    before: { type: "string" },
  },
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
  case "page":
    console.log(await (await import("./page-side.ts")).pageFigures(10));
    process.exit();
    break;
  case "costs":
    await (await import("./cost-figures.ts")).printCosts(
      typeof options.scene === "string" ? options.scene : "",
    );
    process.exit();
    break;
  case "repositories":
    await (await import("./repository-figures.ts")).printRepositories(options.quick === true);
    process.exit();
    break;
  case "packs":
    await (await import("./packs-side.ts")).printPacks(options.quick === true);
    process.exit();
    break;
  case "far":
    await (await import("./far-side.ts")).printFar(
      options.quick === true,
      typeof options.before === "string" ? options.before : undefined,
    );
    process.exit();
    break;
  case "cluster":
    await (await import("./cluster-side.ts")).printCluster(options.quick === true);
    process.exit();
    break;
  case "proof":
    await (await import("./proof-side.ts")).printProof(options.quick === true);
    process.exit();
    break;
  default:
    throw new Error(
      `There are --only api, cluster, costs, far, packs, page, proof, ratios and repositories, and not ${options.only}.`,
    );
}
