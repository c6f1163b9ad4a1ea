export {
  type BytePath,
  bytesUnlessText,
  joinBytePath,
  toBytePath,
  toSystemPath,
  toText,
  toldPath,
  isAtOrBelow,
  foldersAbove,
  leadingFolders,
} from "./files/byte-path.ts";
export {
  type EntryStats,
  formatIndex,
  type IndexEntry,
  formatIndexListing,
  isStoredEntry,
  mayHaveForgedEntries,
  parseStoredIndex,
  readIndexListing,
  indexFingerprint,
  createIndexWriter,
} from "./index-file.ts";
export {
  chmodFolder,
  createFolderGuard,
  makeDirectory,
  realDirectory,
  emptyDirectory,
  removeTree,
} from "./files/folders.ts";
export {
  type GitProcess,
  MOST_LISTING_BYTES,
  endOf,
  pipeGit,
  runGit,
  runGitSync,
  spawnGit,
  collectGit,
  gitLines,
  gitSucceeds,
} from "./run-git.ts";
export { type ImportStream, type TreeEdit, startImport } from "./objects/import-stream.ts";
export { type NewObject, writePack, writeLoose, writeLooseTree } from "./objects/write-objects.ts";
export {
  type ObjectInfo,
  type ObjectReader,
  createObjectReader,
  missingObject,
  unexpectedObject,
  type ReadObject,
  readObjectsSync,
  STATE_LIMITS,
} from "./objects/object-reader.ts";
export {
  type TreeEntry,
  blobId,
  objectId,
  treeContent,
  treeId,
  checkStoredPath,
  isGitName,
  parseTree,
  parseTreeEntries,
  readTreeObject,
  isTreePath,
} from "./objects/tree.ts";
export {
  UNFINISHED_FILES,
  UNFINISHED_FOLDERS,
  isUnfinishedFile,
  readUnfinished,
  writeUnfinished,
} from "./unfinished.ts";
export { type UserRepository, findUserRepository, coreWorkTree, otherWorkTreeOn } from "./user-repository.ts";
export { errorCode, gitError, storageError } from "./files/storage-error.ts";
export { isOfDead, ownerTag } from "./files/owner-tag.ts";
export { listRefs, readRefFile, sweepRefLocks, untilUnlocked, updateRef, syncPacksAndRefs } from "./refs.ts";
export { lookAt, readSmallFile, isPlainPath, tryLookAt } from "./files/plain-files.ts";
export { makeFolder, syncFolder, syncFile, syncTree, writeDurably } from "./files/write-durably.ts";
export { formatPackedRefs, readUserRefs, type UserHead, readUserHead, isBranchName, readRef } from "./user-refs.ts";
export { tryJson, readJsonFile } from "./files/json-file.ts";
