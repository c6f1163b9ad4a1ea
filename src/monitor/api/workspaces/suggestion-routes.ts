import { z } from "zod";
import { route } from "../route.ts";
import { findCommands } from "./find-commands.ts";
import { createPathLists } from "./list-paths.ts";
import { workspaceParameter } from "./workspace-routes.ts";

const pathsOf = createPathLists();

const SuggestionData = z.strictObject({
  kind: z.enum(["file", "command", "skill", "agent"]).describe("What it is"),
  name: z.string().describe("What is written: a file's path, or the name of a command, skill or agent"),
  description: z.string().nullable().describe("What it is about, as its file says; null of a file"),
});

type Suggestion = z.infer<typeof SuggestionData>;

export const getSuggestions = route({
  path: "/api/workspaces/{workspace}/suggestions",
  operation: "listSuggestions",
  summary: "What a prompt can name: files of the state that the directory is at, or what `.claude` in it holds",
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
          : await findCommands(workspace.path);
      return { suggestions: best(known, words.toLowerCase().split(/\s+/u).filter(Boolean), limit) };
    });
  },
});

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
