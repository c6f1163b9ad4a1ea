import { SkeinError } from "../core/index.ts";
import { READ_SECTION, OPEN_SECTIONS } from "./disclosure.ts";
import { Section, type AnySection } from "./section.ts";

/** A section and where it is in its prompt. */
export interface PlacedSection {
  /** The keys from the outermost section on, joined by `/`. */
  readonly path: string;
  readonly section: AnySection;
}

/** Gives every section its path, and refuses what two of them cannot share: a path, or the name of a tool or a skill. */
export function checkSections(sections: readonly AnySection[], prompt: string): readonly PlacedSection[] {
  if (sections.length === 0) {
    throw new SkeinError(`The prompt ${prompt} has no sections`, { kind: "usage", target: prompt });
  }
  const placed = placeAll(sections, "");
  const paths = new Set<string>();
  for (const { path } of placed) {
    if (paths.has(path)) throw twice("section", path, path, path);
    paths.add(path);
  }
  checkShared(placed, "tool", ({ tools }) => tools);
  checkShared(placed, "skill", ({ skills }) => skills);
  return placed;
}

function placeAll(sections: readonly AnySection[], parent: string): readonly PlacedSection[] {
  return sections.flatMap((section) => {
    if (!(section instanceof Section)) {
      const target = parent || "sections";
      throw new SkeinError(`One of the sections of ${target} is not a section`, { kind: "usage", target });
    }
    const path = parent === "" ? section.key : `${parent}/${section.key}`;
    return [{ path, section }, ...placeAll(section.children, path)];
  });
}

/** The same thing may be in two places; two things may not have one name. */
function checkShared(
  placed: readonly PlacedSection[],
  what: "tool" | "skill",
  of: (section: AnySection) => readonly { readonly name: string }[],
): void {
  const owners = new Map<string, { readonly thing: object; readonly path: string }>();
  for (const { path, section } of placed) {
    for (const thing of of(section)) {
      if (what === "tool" && [OPEN_SECTIONS, READ_SECTION].includes(thing.name)) throw reserved(thing.name, path);
      const owner = owners.get(thing.name);
      if (owner && owner.thing !== thing) throw twice(what, thing.name, owner.path, path);
      owners.set(thing.name, { thing, path });
    }
  }
}

function twice(what: string, name: string, first: string, second: string): SkeinError {
  const where = first === second ? "" : `, in ${first} and in ${second}`;
  return new SkeinError(`There are two ${what}s ${name}${where}`, {
    kind: "usage",
    target: second,
    hint: "Give one of them another name",
  });
}

function reserved(name: string, path: string): SkeinError {
  return new SkeinError(`The section ${path} has a tool ${name}, a name that Skein reserves`, {
    kind: "usage",
    target: path,
    hint: "Give it another name",
  });
}
