// The page is added to the API by these. Triggers and telemetry run beside it, and take its
// `parts`.

export type Hooks = {
  /**
   * The file of the page at this address, if there is one. It sets a Content-Security-Policy of its
   * own.
   */
  page?: (request: Request) => Promise<Response | undefined> | Response | undefined;
};
