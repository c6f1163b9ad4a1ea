import { z } from "zod";
import { runGit } from "../../../git/index.ts";
import { notFound } from "../not-found.ts";
import { route } from "../route.ts";
import { findState, stateParameters } from "./state-routes.ts";

const EntryData = z.strictObject({
  name: z.string().describe("Its name in the folder"),
  path: z.string().describe("Its path below the workspace"),
  kind: z.enum(["folder", "file", "symlink"]).describe("What it is"),
  size_bytes: z.int().nullable().describe("Its size; null of a folder"),
});

type EntryData = z.infer<typeof EntryData>;

const MOST_ENTRIES = 10_000;

/** Neither a way up nor an empty name: a folder is asked of git by its path in a tree. */
const Folder = z
  .string()
  .max(4096)
  .refine((path) => path === "" || path.split("/").every(isPlainName), "it is no path of a folder");

function isPlainName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/\p{Cc}/u.test(name);
}

export const listFolder = route({
  path: "/api/workspaces/{workspace}/states/{state}/folder",
  operation: "listFolder",
  summary: "What is in one folder of a state, without what is below: for trees that are too large to be listed whole",
  parameters: stateParameters,
  query: z.strictObject({ under: Folder.default("").describe("The folder's path; the workspace itself unless said") }),
  data: z.strictObject({
    entries: z.array(EntryData).describe("What is in it: folders first, then by name"),
    is_cut: z.boolean().describe(`Whether there are more than ${MOST_ENTRIES}, of which the rest is left out`),
  }),
  async answer({ workspace: id, state: name, under }, { workspaces }) {
    return await workspaces.use(id, async (opened) => {
      const { gitDirectory } = opened.workspace;
      const state = await findState(opened, name);
      const tree = state.stored.entries.get("files")?.oid;
      if (tree === undefined) return { entries: [], is_cut: false };
      const folder = under === "" ? tree : `${tree}:${under}`;
      const reading = { gitDirectory, mostOutputBytes: MOST_BYTES, signal: AbortSignal.timeout(10_000) };
      const type = await runGit({ ...reading, args: ["cat-file", "-t", folder] }).catch(() => undefined);
      if (type?.toString("utf8") !== "tree\n") throw notFound("folder", under);
      const listed = await runGit({ ...reading, args: ["ls-tree", "-z", "--long", "--full-tree", folder] });
      const all = listed.toString("utf8").split("\0").filter(Boolean);
      const entries = all.slice(0, MOST_ENTRIES).flatMap((line) => toEntry(line, under));
      return { entries: entries.toSorted(compare), is_cut: all.length > MOST_ENTRIES };
    });
  },
});

const MOST_BYTES = 64 * 1024 ** 2;

function toEntry(line: string, under: string): readonly EntryData[] {
  const [, mode = "", size = "", name = ""] = /^(\d+) \w+ [0-9a-f]+ +(\d+|-)\t([\s\S]+)$/u.exec(line) ?? [];
  if (name === "") return [];
  const kind = mode === "040000" ? "folder" : mode === "120000" ? "symlink" : "file";
  const path = under === "" ? name : `${under}/${name}`;
  return [{ name, path, kind, size_bytes: kind === "folder" ? null : Number(size) }];
}

function compare(left: EntryData, right: EntryData): number {
  const rank = ({ kind }: EntryData): number => (kind === "folder" ? 0 : 1);
  return rank(left) - rank(right) || (left.name < right.name ? -1 : 1);
}
