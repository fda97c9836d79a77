// The OpenAPI document, made from the routes themselves.

import type { Api } from "./env.ts";
import { deliverySchemes } from "./triggers/delivery-document.ts";

type Document = ReturnType<Api["getOpenAPI31Document"]>;

const description = [
  "What is on the blackboard of a Sett instance, and what people tell it: goals, artefacts, claims, events, questions, approvals, agents.",
  "Ids may be given by 6 or more characters of their beginning. Errors are problem details (RFC 9457), with the sentences of the command line.",
].join(" ");

export function documentOf(app: Api, version: string): Document {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description:
      "A token of `services.api.tokens`, of `sett ui`, or a JWT of the identity provider.",
  });
  for (const [scheme, { name, description }] of deliverySchemes)
    app.openAPIRegistry.registerComponent("securitySchemes", scheme, {
      type: "apiKey",
      in: "header",
      name,
      description,
    });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Sett", version, description, license: { name: "Apache-2.0" } },
  });
}
