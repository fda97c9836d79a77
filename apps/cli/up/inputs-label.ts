/** The label of an image with a digest of everything from which it was built. `.ci/images.ts` sets it on Sett's own images. */
export const inputsLabel = "dev.sett.inputs";
