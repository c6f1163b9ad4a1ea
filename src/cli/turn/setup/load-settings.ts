import { claudeHome, SkeinError } from "../../../core/internal.ts";
import type { TrustedFolders } from "../../../isolation/internal.ts";
import type { CommandContext } from "../../define-command.ts";
import { requireTrusted } from "../../require-trust.ts";

const SOURCES = ["user", "project", "local"] as const;

type Source = (typeof SOURCES)[number];

interface Places {
  readonly cwd: string;
  /** Further directories of the agent, whose settings the CLI may read too. */
  readonly others: readonly string[];
  readonly context: CommandContext;
}

/** Reads which settings are to be loaded, several with commas between them. Those of a folder can run programs, and need a person's trust. */
export async function loadSettings(given: readonly string[], places: Places): Promise<TrustedFolders | undefined> {
  const { cwd, others, context } = places;
  const sources = readSources(given);
  if (sources.length === 0) return undefined;
  const user = sources.includes("user") ? { userFolder: claudeHome(context.env) } : {};
  if (sources.every((source) => source === "user")) return { sources, others: [], ...user };
  const workspace = await requireTrusted(cwd, { context });
  const inspected = [];
  for (const other of others) inspected.push(await requireTrusted(other, { context }));
  return { sources, workspace, others: inspected, ...user };
}

function readSources(given: readonly string[]): readonly Source[] {
  const words = given.flatMap((each) => each.split(",")).map((word) => word.trim());
  const sources = words.map((word) => {
    const source = SOURCES.find((each) => each === word);
    if (source !== undefined) return source;
    throw new SkeinError(`--setting-sources: there are no settings ${JSON.stringify(word)}`, {
      kind: "usage",
      target: "--setting-sources",
      hint: "Name user, project, local, or several with commas between them",
    });
  });
  return [...new Set(sources)];
}
