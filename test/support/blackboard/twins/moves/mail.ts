// The mail of agents: what they say, and the answers.
import { call } from "../call.ts";
import type { World } from "../world.ts";
import type { Move } from "./move.ts";

export const mailMoves: readonly Move[] = [
  {
    weight: 4,
    make: (world) =>
      call(world.handle(), "sendMail", world.agent(), {
        id: world.random.uuid(),
        text: text(world),
      }),
  },
  { weight: 1, make: (world) => call(world.handle(), "followMail") },
  { weight: 1, make: (world) => call(world.handle(), "roleOfSender", world.agent()) },
  {
    weight: 3,
    make: (world) => {
      const agent = world.agent();
      const sent = world.state.mail.out.get(agent)?.length ?? 0;
      const place = world.random.chance(0.9) && sent > 0 ? world.random.below(sent) : undefined;
      return call(
        world.handle(),
        "answerMail",
        agent,
        place,
        world.random.chance(0.8) ? text(world) : undefined,
      );
    },
  },
  {
    weight: 1,
    make: (world) =>
      call(world.handle(), "followMailAnswers", world.agent(), [text(world), text(world)]),
  },
];

function text(world: World): string {
  return world.random.oneOf('{"say":"alive"}', "{", "ü\u0000", world.random.uuid());
}
