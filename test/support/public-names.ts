import { readFileSync } from "node:fs";
import { namesOf } from "./find-shared-names.ts";

/** Something that users can import: where it is declared, and what the source says of it there. */
export interface PublicName {
  readonly name: string;
  readonly file: string;
  readonly isType: boolean;
  readonly doc: string | undefined;
}

/** Reads what a door gives to users, in the order of the names. */
export function publicNames(door: string): readonly PublicName[] {
  const names = [...namesOf({ path: door, text: readFileSync(door, "utf8") })];
  return names
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([shown, { file, name, isType }]) => ({ name: shown, isType, ...findDeclaration(file, name) }));
}

/** Follows a name through the doors that hand it on to the file that declares it. */
function findDeclaration(file: string, name: string): Pick<PublicName, "file" | "doc"> {
  const text = readFileSync(file, "utf8");
  const next = namesOf({ path: file, text }).get(name);
  if (next) return findDeclaration(next.file, next.name);
  const declarations = text.matchAll(
    new RegExp(
      String.raw`(?:/\*\*((?:(?!\*/)[^])*)\*/\s*)?export (?:[a-z]+ )*(?:class|interface|type|function\*?|const) ${name}\b`,
      "gu",
    ),
  );
  const docs = [...declarations].map(([, doc = ""]) => doc.replaceAll(/^\s*\* ?/gmu, "").trim());
  if (docs.length === 0) throw new Error(`${file} has no declaration of ${name}`);
  return { file, doc: docs.find((doc) => doc !== "") };
}
