// Says with each failure to reach the Engine which one was tried, and what would work: a command
// may meet it at its first question, or at any later one.
import type { HostEnvironment } from "./docker-config.ts";
import { type EngineAddress, explainUnreachable } from "./find-engine.ts";

/** The same port: whatever its methods throw, also on the way of what they yield, is explained. */
export function namingEngine<Port extends object>(
  port: Port,
  address: EngineAddress,
  env: HostEnvironment,
): Port {
  const explained = (error: unknown) => explainUnreachable(error, address, env);
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => explaining(Reflect.apply(member, target, given), explained);
    },
  });
}

type Explain = (error: unknown) => Promise<unknown>;

function explaining(answer: unknown, explained: Explain): unknown {
  if (answer instanceof Promise) {
    return answer.catch(async (error: unknown) => {
      throw await explained(error);
    });
  }
  return isIterable(answer) ? eachOf(answer, explained) : answer;
}

function isIterable(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}

async function* eachOf(answer: AsyncIterable<unknown>, explained: Explain) {
  try {
    yield* answer;
  } catch (error) {
    throw await explained(error);
  }
}
