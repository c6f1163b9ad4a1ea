import { SIDECHAIN } from "../digest/file-digest.ts";
import { createIdTable, hashText, NOT_FOUND } from "../digest/id-table.ts";
import type { Ledger, LedgerFile } from "./ledger.ts";

export interface SummaryTitles {
  /** The title that some files' session has by a summary, of whichever file. */
  titleOf(files: readonly number[]): string | undefined;
}

interface Summary {
  readonly leafUuid: string;
  readonly title: string;
}

/** Early versions wrote the titles of other sessions into each file: of the summaries of a session's records the one counts whose record came last. */
export function findSummaries(ledger: Ledger): SummaryTitles {
  const ids = createIdTable();
  const summaries: Summary[] = [];
  // Of two of one record, the later file's.
  for (const { facts } of ledger.files) {
    for (const [leafUuid, title] of new Map(facts.summaries)) {
      const { low, high } = hashText(leafUuid);
      if (title !== "") summaries[ids.add(low, high)] = { leafUuid, title };
    }
  }
  const { uuidLow, uuidHigh, flags, timestampMs } = ledger.messages;
  return {
    titleOf(files) {
      if (ids.size === 0) return undefined;
      let best: Summary | undefined;
      let bestMs = Number.NEGATIVE_INFINITY;
      for (const file of files) {
        const { start, end } = (ledger.files[file] as LedgerFile).messages;
        for (let row = start; row < end; row += 1) {
          const id = ids.find(uuidLow[row] as number, uuidHigh[row] as number);
          if (id === NOT_FOUND || ((flags[row] as number) & SIDECHAIN) !== 0) continue;
          const found = summaries[id] as Summary;
          const at = Number.isNaN(timestampMs[row]) ? Number.NEGATIVE_INFINITY : (timestampMs[row] as number);
          const isLater = at > bestMs || (at === bestMs && found.leafUuid > (best?.leafUuid ?? ""));
          if (best !== undefined && !isLater) continue;
          best = found;
          bestMs = at;
        }
      }
      return best?.title;
    },
  };
}
