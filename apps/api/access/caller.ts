// Who asks: what the rest of the API knows of a token, a cookie or a JWT.

import type { Right } from "../../../lib/model/api-access.ts";
import type { Actor } from "../../../lib/model/event.ts";

/** `name`: of the token, for the record. `by`: how the caller has shown who it is. */
export type Caller = { name: string; rights: ReadonlySet<Right>; actor: Actor; by: "token" | "cookie" | "oidc" };
