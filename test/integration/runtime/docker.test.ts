import { nightly } from "../../support/nightly.ts";
import { openDockerBench } from "./suite/bench.ts";
import { runtimeSuite } from "./suite.ts";

runtimeSuite("the runtime on Docker", openDockerBench, nightly);
