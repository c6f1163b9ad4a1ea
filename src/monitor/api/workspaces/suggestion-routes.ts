import { z } from "zod";
import { route } from "../route.ts";
import { readOffer } from "../../../trace/internal.ts";
import { findCommands, type FoundCommand } from "./find-commands.ts";
import { createPathLists } from "./list-paths.ts";
import { workspaceParameter } from "./workspace-routes.ts";

const pathsOf = createPathLists();

const SuggestionData = z.strictObject({
  kind: z.enum(["file", "command", "skill", "agent"]).describe("What it is"),
  name: z.string().describe("What is written: a file's path, or the name of a command, skill or agent"),
  description: z
    .string()
    .nullable()
    .describe("What it is about, as its file says; null of a file, and of what has none in the workspace"),
});

type Suggestion = z.infer<typeof SuggestionData>;

export const getSuggestions = route({
  path: "/api/workspaces/{workspace}/suggestions",
  operation: "listSuggestions",
  summary:
    "What a prompt can name: files of the state that the directory is at, or what `.claude` in it holds and the CLI offered last",
  parameters: z.strictObject(workspaceParameter),
  query: z.strictObject({
    kind: z.enum(["files", "commands"]).describe("Files, for `@`; or commands, skills and agents, for `/`"),
    words: z.string().max(200).default("").describe("Parts of the name, in any order, upper or lower case"),
    limit: z.coerce.number().int().min(1).max(50).default(20).describe("How many at most"),
  }),
  data: z.strictObject({ suggestions: z.array(SuggestionData).describe("What fits, the best first") }),
  async answer({ workspace: id, kind, words, limit }, { workspaces }) {
    return await workspaces.use(id, async ({ workspace }) => {
      const known: readonly Suggestion[] =
        kind === "files"
          ? (await pathsOf(workspace)).map((name) => ({ kind: "file", name, description: null }))
          : withOffered(await findCommands(workspace.path), readOffer(workspace.home));
      return { suggestions: best(known, words.toLowerCase().split(/\s+/u).filter(Boolean), limit) };
    });
  },
});

/** What the CLI brings itself, or plugins and the user's own folder do, has no file in the workspace: it is known from the last turn. */
function withOffered(found: readonly FoundCommand[], offer: ReturnType<typeof readOffer>): readonly Suggestion[] {
  if (!offer) return found;
  const known = new Set(found.map(({ kind, name }) => `${kind === "agent" ? "agent" : "command"} ${name}`));
  const skills = new Set(offer.skills);
  const commands = [...new Set([...offer.commands, ...offer.skills])];
  return [
    ...found,
    ...commands
      .filter((name) => !known.has(`command ${name}`))
      .map((name) => ({ kind: skills.has(name) ? ("skill" as const) : ("command" as const), name, description: null })),
    ...offer.agents
      .filter((name) => !known.has(`agent ${name}`))
      .map((name) => ({ kind: "agent" as const, name, description: null })),
  ];
}

/** Those whose names have all words: what stands at the beginning of the last part of a path counts most, then a short name. */
function best(known: readonly Suggestion[], words: readonly string[], limit: number): Suggestion[] {
  const ranked = known.flatMap((suggestion) => {
    const name = suggestion.name.toLowerCase();
    if (!words.every((word) => name.includes(word))) return [];
    const last = name.slice(name.lastIndexOf("/") + 1);
    const [word = ""] = words;
    return [{ suggestion, rank: last.startsWith(word) ? 0 : last.includes(word) ? 1 : 2, length: name.length }];
  });
  return ranked
    .toSorted((left, right) => left.rank - right.rank || left.length - right.length)
    .slice(0, limit)
    .map(({ suggestion }) => suggestion);
}
