export {
  type BytePath,
  bytesUnlessText,
  joinBytePath,
  toBytePath,
  toSystemPath,
  toText,
  toldPath,
} from "./files/byte-path.ts";
export { type EntryStats, formatIndex } from "./index/format-index.ts";
export { type FolderGuard, chmodFolder, createFolderGuard } from "./files/folder-guard.ts";
export { type GitProcess, MOST_LISTING_BYTES, endOf, pipeGit, runGit, runGitSync, spawnGit } from "./run-git.ts";
export { type ImportStream, type TreeEdit, startImport } from "./objects/import-stream.ts";
export {
  type IndexEntry,
  formatIndexListing,
  isStoredEntry,
  isTreePath,
  mayHaveForgedEntries,
  parseStoredIndex,
  readIndexListing,
} from "./index/index-listing.ts";
export { type NewObject, writePack } from "./objects/write-pack.ts";
export {
  type ObjectInfo,
  type ObjectReader,
  createObjectReader,
  missingObject,
  unexpectedObject,
} from "./objects/object-reader.ts";
export { type ReadObject, readObjectsSync } from "./objects/read-objects-sync.ts";
export { STATE_LIMITS } from "./objects/limits.ts";
export { type TreeEntry, blobId, objectId, treeContent, treeId } from "./objects/object-id.ts";
export { UNFINISHED_FILES, UNFINISHED_FOLDERS, isUnfinishedFile } from "./unfinished-files.ts";
export { type UserRepository, findUserRepository, isPlainPath } from "./user-repository.ts";
export { checkStoredPath } from "./objects/check-stored-path.ts";
export { coreWorkTree } from "./core-work-tree.ts";
export { errorCode, gitError, storageError } from "./files/storage-error.ts";
export { formatPackedRefs, isRefName, readUserRefs } from "./refs/user-refs.ts";
export { indexFingerprint } from "./index/index-fingerprint.ts";
export { isGitName } from "./refs/git-name.ts";
export { isOfDead, ownerTag } from "./owner-tag.ts";
export { listRefs } from "./refs/state-refs.ts";
export { lookAt } from "./files/look-at.ts";
export { makeDirectory, realDirectory } from "./files/real-directory.ts";
export { makeFolder, syncFolder } from "./files/sync-folder.ts";
export { otherWorkTreeOn } from "./other-work-trees.ts";
export { parseTree, parseTreeEntries, readTreeObject } from "./objects/tree-entries.ts";
export { readRefFile, sweepRefLocks, untilUnlocked, updateRef } from "./refs/update-ref.ts";
export { readSmallFile } from "./files/read-small-file.ts";
export { readUnfinished, writeUnfinished } from "./unfinished-operation.ts";
export { syncFile, syncTree, writeDurably } from "./files/write-durably.ts";
export { syncPacksAndRefs } from "./refs/sync-refs.ts";
export { tryJson } from "./files/try-json.ts";
export { writeLoose, writeLooseTree } from "./objects/loose-objects.ts";
