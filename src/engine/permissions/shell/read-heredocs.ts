import { readQuoted } from "./read-word.ts";
import { indexOrEnd, type Reader } from "./reader.ts";

/** Reads the texts of the here-documents that were announced on the line above. */
export function readHeredocs(reader: Reader): void {
  const { heredocs, findings } = reader;
  reader.heredocs = [];
  for (const { delimiter, isQuoted, stripsTabs, owner } of heredocs) {
    const lines: string[] = [];
    let isOpen = true;
    while (isOpen && reader.index < reader.source.length) {
      const end = indexOrEnd(reader, "\n");
      const line = reader.source.slice(reader.index, end);
      reader.index = end + 1;
      isOpen = (stripsTabs ? line.replace(/^\t+/, "") : line) !== delimiter;
      if (isOpen) lines.push(line);
    }
    // A line that goes on in the next one can hide the end, or make one up.
    if (isOpen || (!isQuoted && lines.some((line) => line.endsWith("\\")))) findings.isBroken = true;
    const text = lines.join("\n");
    if (isQuoted) {
      if (/[$`\\]/.test(text)) findings.hidesCode = true;
      owner.inputs.push({ text, isDynamic: false });
      continue;
    }
    const inner: Reader = { ...reader, source: text, index: 0, heredocs: [] };
    const { isDynamic } = readQuoted(inner, undefined);
    if (inner.heredocs.length > 0) findings.isBroken = true;
    owner.inputs.push({ text, isDynamic });
  }
}
