import { useQueries, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { api } from "../../data/api.ts";
import { ApiError } from "../../data/ask.ts";

/** What is in a folder of a state; undefined where the list is too long to say. */
type ListFolder = (folder: string) => Promise<ReadonlySet<string> | undefined>;

/** Whether a file is among what a state holds, asked folder by folder: what does not exist is never asked for. */
export async function isThere(path: string, list: ListFolder): Promise<boolean> {
  const names = path.split("/");
  if (names.includes("..") || names.includes(".") || names.includes("")) return false;
  for (const [depth, name] of names.entries()) {
    const held = await list(names.slice(0, depth).join("/"));
    if (held === undefined) return true;
    if (!held.has(name)) return false;
  }
  return true;
}

/** The texts of files before a turn, as far as they are texts; undefined while they are read. */
export function useTextsBefore(
  workspace: string,
  parent: string | null | undefined,
  paths: readonly string[],
): ReadonlyMap<string, string | undefined> | undefined {
  const client = useQueryClient();
  return useQueries({
    queries: paths.map((path) => ({
      queryKey: ["content", workspace, "before", parent, path],
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<string | null> => {
        if (parent === null || parent === undefined) return null;
        // A turn makes files, too: of those there was nothing before.
        if (!(await isThere(path, folders(client, workspace, parent)))) return null;
        return await textBefore({ workspace, parent, path }, signal);
      },
      staleTime: Infinity,
    })),
    combine: (answers) =>
      answers.some(({ isPending }) => isPending)
        ? undefined
        : new Map(answers.map(({ data }, place) => [paths[place] ?? "", data ?? undefined])),
  });
}

function folders(client: QueryClient, workspace: string, state: string): ListFolder {
  return async (under) => {
    const { entries, is_cut: isCut } = await client.fetchQuery({
      queryKey: ["content", workspace, "folder", state, under],
      queryFn: async () => await api.folder(workspace, state, { under }),
      staleTime: Infinity,
    });
    return isCut ? undefined : new Set(entries.map(({ name }) => name));
  };
}

async function textBefore(
  { workspace, parent, path }: { readonly workspace: string; readonly parent: string; readonly path: string },
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const { content, encoding, is_cut: isCut } = await api.file(workspace, parent, path, signal);
    return encoding === "utf8" && !isCut ? content : null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
