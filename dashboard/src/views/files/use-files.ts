import { useInfiniteQuery, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { api } from "../../data/api.ts";
import type { FileItem } from "./file-tree.ts";

/** More than so many files are not drawn as a tree. */
const MOST_FILES = 100_000;

export interface AllFiles {
  readonly files: readonly FileItem[];
  readonly isCut: boolean;
}

/** All files of a state, page after page. */
export function useAllFiles(id: string, state: string): UseQueryResult<AllFiles> {
  return useQuery({
    queryKey: ["content", id, "files", state],
    queryFn: async ({ signal }) => {
      const files: FileItem[] = [];
      let after: string | undefined;
      do {
        const page = await api.files(id, state, { limit: 10_000, ...(after !== undefined && { after }) }, signal);
        files.push(...page.files);
        after = page.next_after ?? undefined;
      } while (after !== undefined && files.length < MOST_FILES);
      return { files, isCut: after !== undefined };
    },
    // A name such as `@` may come to mean another state.
    staleTime: /^[0-9a-f]{40}$/u.test(state) ? Infinity : 0,
  });
}

/** The user's own repository's log, from where it was at a state. */
export function useLog(id: string, state: string) {
  return useInfiniteQuery({
    queryKey: ["content", id, "log", state],
    queryFn: async ({ pageParam: offset, signal }) => await api.log(id, state, { limit: 100, offset }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next_offset: next }) => next,
  });
}
