/** On an image: a hash of all that it was built from. `.ci/images.ts` puts the same on Sett's own. */
export const inputsLabel = "dev.sett.inputs";
