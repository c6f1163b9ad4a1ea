export {
  type BytePath,
  bytesUnlessText,
  foldersAbove,
  isAtOrBelow,
  joinBytePath,
  leadingFolders,
  toBytePath,
  toldPath,
  toSystemPath,
  toText,
} from "./files/byte-path.ts";
export {
  chmodFolder,
  createFolderGuard,
  emptyDirectory,
  makeDirectory,
  realDirectory,
  removeTree,
} from "./files/folders.ts";
export { isOfDead, ownerTag } from "./files/owner-tag.ts";
export {
  isPlainPath,
  lookAt,
  openPlain,
  readJsonFile,
  readPlainFile,
  readSmallFile,
  tryLookAt,
} from "./files/plain-files.ts";
export { errorCode, gitError, storageError } from "./files/storage-error.ts";
export { makeFolder, syncFile, syncFolder, syncTree, writeDurably } from "./files/write-durably.ts";
export {
  createIndexWriter,
  type EntryLooks,
  type FileLook,
  formatIndex,
  formatIndexListing,
  type IndexEntry,
  indexFingerprint,
  isStoredEntry,
  lookOf,
  mayHaveForgedEntries,
  parseStoredIndex,
  readIndexListing,
} from "./index-file.ts";
export { readSeenIndex, type SeenEntry } from "./seen-index.ts";
export { checkoutFiles } from "./objects/checkout-files.ts";
export { type ImportStream, startImport, type TreeEdit } from "./objects/import-stream.ts";
export {
  createObjectReader,
  missingObject,
  type ObjectInfo,
  type ObjectReader,
  type ReadObject,
  readObjectsSync,
  STATE_LIMITS,
  unexpectedObject,
  writeTogether,
} from "./objects/object-reader.ts";
export {
  blobId,
  checkStoredPath,
  forgedError,
  inTreeOrder,
  isGitName,
  isTreePath,
  objectId,
  parseTreeEntries,
  readTree,
  treeContent,
  type TreeEntry,
  treeId,
} from "./objects/tree.ts";
export { type NewObject, readPackIds, writeLoose, writeLooseTree, writePack } from "./objects/write-objects.ts";
export { listRefs, listRefsBelow } from "./list-refs.ts";
export { readRefFile, sweepRefLocks, syncPacksAndRefs, untilUnlocked, updateRef } from "./refs.ts";
export {
  collectGit,
  endOf,
  gitLines,
  type GitProcess,
  gitSucceeds,
  MOST_LISTING_BYTES,
  pipeGit,
  runGit,
  runGitSync,
  spawnGit,
} from "./run-git.ts";
export {
  isUnfinishedFile,
  readUnfinished,
  UNFINISHED_FILES,
  UNFINISHED_FOLDERS,
  writeUnfinished,
} from "./unfinished.ts";
export { formatPackedRefs, isBranchName, readRef, readUserHead, readUserRefs, type UserHead } from "./user-refs.ts";
export { coreWorkTree, findUserRepository, otherWorkTreeOn, type UserRepository } from "./user-repository.ts";
