// How many checkouts that workers share an instance keeps (docs/internals/layers.md).

/** Beyond them the one goes that was used least recently, unless a container uses it. */
export const maxLayers = 4;
