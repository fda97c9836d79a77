// What is suggested to be typed next reaches the same instance.

/** ` --name demo` where the person has named it so, to go behind a suggested command; otherwise nothing. */
export function naming(name: string | undefined): string {
  return name === undefined ? "" : ` --name ${name}`;
}
