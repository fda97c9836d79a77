/**
 * The label of an image with a digest of everything from which it was built. `.ci/images.ts` sets
 * it on Sett's own images.
 */
export const inputsLabel = "dev.sett.inputs";

/**
 * The label with a digest of the sizes and times of these files, as they were on this machine when
 * it was built.
 */
export const timesLabel = "dev.sett.times";
