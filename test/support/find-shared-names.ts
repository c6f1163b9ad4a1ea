import { posix } from "node:path";
import type { SourceFile } from "./find-breaches.ts";

const RE_EXPORT = /export (type )?\{([^}]*)\} from "([^"]+)"/gu;

interface Given {
  /** The file that the name comes from, and what it is called there. */
  readonly file: string;
  readonly name: string;
  readonly isType: boolean;
}

/** Finds names that doors give to different things, each with the files that they come from. */
export function findSharedNames(doors: readonly SourceFile[]): readonly string[] {
  const given = new Map(doors.map((door) => [door.path, namesOf(door)]));
  const origin = ({ file, name }: Given): string => {
    const next = given.get(file)?.get(name);
    return next ? origin(next) : `${file}:${name}`;
  };
  const origins = new Map<string, Set<string>>();
  for (const names of given.values()) {
    for (const [name, from] of names) origins.set(name, (origins.get(name) ?? new Set()).add(origin(from)));
  }
  return [...origins].filter(([, from]) => from.size > 1).map(([name, from]) => `${name}: ${[...from].join(", ")}`);
}

/** What a door gives: each name with the file that it is from, and what it is called there. */
export function namesOf({ path, text }: SourceFile): ReadonlyMap<string, Given> {
  const entries = [...text.matchAll(RE_EXPORT)].flatMap(([, type, body = "", specifier = ""]) =>
    body.split(",").flatMap((part): readonly (readonly [string, Given])[] => {
      const [name, shown = name] = part
        .trim()
        .replace(/^type /u, "")
        .split(" as ");
      if (!name || !shown) return [];
      const isType = type !== undefined || part.trim().startsWith("type ");
      return [[shown, { file: posix.join(posix.dirname(path), specifier), name, isType }]];
    }),
  );
  return new Map(entries);
}
