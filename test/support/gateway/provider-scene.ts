// A gateway in front of a provider that answers as a test wants it.
import { type FaultyAnswer, startFaultyProvider } from "./faulty-provider.ts";
import { type SceneOptions, startGateway } from "./gateway-scene.ts";

/** The provider gives the answers in their order, and the last one again and again. */
export async function sceneOf(
  answers: FaultyAnswer | FaultyAnswer[],
  options: Partial<SceneOptions> = {},
) {
  const provider = await startFaultyProvider(...[answers].flat());
  const scene = await startGateway({ base_url: provider.base_url, ...options });
  return {
    ...scene,
    provider,
    [Symbol.asyncDispose]: async () => {
      await scene[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}
