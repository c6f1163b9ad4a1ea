/** As git writes them, and as the formatter makes of them in tables and quotes. */
const MARKER = /^[|>\s]*(?:<{7}|(?:>\s?){7}|\|{7}|={7})(?:\s|\||$)/;

/** The lines of a page that an unfinished merge left there. */
export function findConflictMarkers(page, text) {
  return text.split("\n").flatMap((line, at) => (MARKER.test(line) ? [{ page, line: at + 1, text: line.trim() }] : []));
}
