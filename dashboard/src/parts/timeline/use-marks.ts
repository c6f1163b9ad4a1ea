import { useEffect, type RefObject } from "react";

const NAME = "found";

/** More is not marked: nobody counts them, and each has its price. */
const MOST = 500;

/** Marks words wherever they are drawn, by the browser's own highlights: no element is touched. */
export function useMarks(place: RefObject<HTMLElement | null>, words: string | undefined): void {
  useEffect(() => {
    const element = place.current;
    const wanted = wordsOf(words ?? "");
    if (!element || wanted.length === 0 || !("highlights" in CSS)) return undefined;
    let timer: number | undefined;
    const mark = (): void => {
      timer = undefined;
      CSS.highlights.set(NAME, new Highlight(...rangesOf(element, wanted)));
    };
    // Rows come and go while it is scrolled.
    const changes = new MutationObserver(() => (timer ??= window.setTimeout(mark, 60)));
    changes.observe(element, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      window.clearTimeout(timer);
      changes.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [place, words]);
}

/** The words of a search, without its signs: `"a phrase"` is marked as a whole, `begin*` at its beginning. */
function wordsOf(search: string): readonly string[] {
  return [...search.matchAll(/"([^"]+)"|([^\s"]+)/gu)]
    .map(([, phrase, word]) => (phrase ?? word ?? "").replace(/\*$/u, "").toLowerCase())
    .filter((word) => word !== "");
}

function rangesOf(element: HTMLElement, words: readonly string[]): readonly Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && ranges.length < MOST; node = texts.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    for (const word of words) {
      for (let at = text.indexOf(word); at !== -1 && ranges.length < MOST; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, Math.min(at + word.length, node.nodeValue?.length ?? 0));
        ranges.push(range);
      }
    }
  }
  return ranges;
}
