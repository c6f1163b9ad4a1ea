/** Words that are in every other sentence and tell nothing apart. */
const COMMON_WORDS = new Set(
  (
    "a an and any are as at be but by can do does for from has have how i if in into is it its me my no not of on or " +
    "our please so some that the their them then there this to up us use was we what when where which who will with you your"
  ).split(" "),
);

/** The words of a text that tell something, in one spelling: `ExitWorktree` is exit and worktree, `files` is file. */
export function wordsOf(text: string): readonly string[] {
  const parts = text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (parts ?? []).filter((word) => !COMMON_WORDS.has(word)).map(stem);
}

/** Cuts the endings of English that change a word's form but not what it is about. */
function stem(word: string): string {
  if (word.length > 5 && word.endsWith("ing")) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ch|sh|x|ss)es$/u.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return word.slice(0, -1);
  return word.length > 4 && word.endsWith("ed") ? word.slice(0, -2) : word;
}
