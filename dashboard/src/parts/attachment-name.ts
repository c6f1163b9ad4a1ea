/** What the server takes in one request, with room for the prompt: 16 MiB, of which base64 is four thirds. */
export const MOST_ATTACHED_BYTES = 12_000_000;
export const MOST_ATTACHMENTS = 10;

const LONGEST = 100;

/** A file's name as the server takes it, that none of the others has. */
export function attachmentName(given: string, taken: readonly string[]): string {
  const own = given.split(/[\\/]/u).at(-1) ?? "";
  const words = own
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\w. -]/gu, "_");
  const plain = words.replace(/^\W+/u, "") || "file";
  const [, stem = plain, ending = ""] = /^(.*?)(\.\w{1,10})?$/u.exec(plain) ?? [];
  for (let number = 1; ; number += 1) {
    const mark = number === 1 ? "" : `-${number}`;
    const name = `${stem.slice(0, LONGEST - mark.length - ending.length)}${mark}${ending}`;
    if (!taken.includes(name)) return name;
  }
}
