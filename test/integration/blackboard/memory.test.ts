import { openMemoryBench } from "../../support/blackboard/memory-bench.ts";
import { blackboardSuite } from "./suite.ts";

blackboardSuite("the blackboard in memory", openMemoryBench);
