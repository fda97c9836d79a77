// A caller is all that the rest of the API knows of a token, a cookie or a JWT.

import type { Right } from "../../../lib/model/api-access.ts";
import type { Actor } from "../../../lib/model/event.ts";

/**
 * `id`: who it is, which no two share: a token of sett.yml, also by its session, or issuer and
 * subject of a JWT. `name`: for the record; a JWT may have any, also that of another. `until`: when
 * a JWT is over, in Unix milliseconds.
 */
export type Caller = {
  id: string;
  name: string;
  rights: ReadonlySet<Right>;
  actor: Actor;
  until?: number;
};
