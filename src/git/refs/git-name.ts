import type { BytePath } from "../files/byte-path.ts";

/** Whether some file system takes a name for `.git`: in other letters, or, as HFS+ does, with characters that it passes over. */
export function isGitName(name: BytePath): boolean {
  return GIT.test(UNSEEN.test(name) ? name.replaceAll(EVERY_UNSEEN, "") : name);
}

const GIT = /^\.git$/i;
/** U+200C to U+200F, U+202A to U+202E, U+206A to U+206F and U+FEFF, as bytes. */
const UNSEEN = /\xe2\x80[\x8c-\x8f\xaa-\xae]|\xe2\x81[\xaa-\xaf]|\xef\xbb\xbf/;
const EVERY_UNSEEN = new RegExp(UNSEEN.source, "g");
