// Loads the style sheet of the views that come after the first one, which the document names.

let loaded: Promise<void> | undefined;

/** Rejects as a part of the page that cannot be loaded does. */
export async function laterStyle(): Promise<void> {
  loaded ??= new Promise((resolve, reject) => {
    const name = document.querySelector<HTMLMetaElement>('meta[name="later-style"]')?.content ?? "";
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = name;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      loaded = undefined;
      reject(new TypeError(`Failed to fetch dynamically imported module: ${name}`));
    };
    document.head.append(link);
  });
  await loaded;
}
