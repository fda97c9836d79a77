import { shownBy } from "./defects/shown-by.ts";
import { defects, searchFor } from "./defects.ts";
for (const defect of defects) {
  if (defect.isRare === true) continue;
  const seed = shownBy[defect.name];
  const again = seed === undefined ? undefined : searchFor(defect, { from: seed, most: 1 });
  if (again?.rule !== undefined) { console.log("ok", seed, JSON.stringify(defect.name)); continue; }
  const found = searchFor(defect, { most: 2000 });
  console.log("new", found.rule === undefined ? "none" : found.seed, JSON.stringify(defect.name), seed);
}
