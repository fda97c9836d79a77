// What others add to the API: the page. What runs beside it (triggers, telemetry) takes its
// `parts`.

export type Hooks = {
  /**
   * The file of the page at this address, if there is one. It sets a Content-Security-Policy of its
   * own.
   */
  page?: (request: Request) => Promise<Response | undefined> | Response | undefined;
};
