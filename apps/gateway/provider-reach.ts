// How the gateway reaches providers: by which proxy, and whose certificates it trusts.

/** Options of a request, beside its own. */
export type ProviderReach = { proxy?: string; tls?: { ca: string } };
