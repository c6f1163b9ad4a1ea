import { createSets } from "../disjoint-sets.ts";
import { IS_ADVISOR, IS_FINAL } from "../digest/file-digest.ts";
import { createIdTable, type IdTable } from "../digest/id-table.ts";
import type { Ledger } from "./ledger.ts";

/** What files have in common. A row with a 1 is a copy: another file has the original, and sums leave it out. */
export interface Copies {
  readonly messages: Uint8Array;
  readonly calls: Uint8Array;
  readonly usage: Uint8Array;
  /** Messages that another file has too, whichever has the original. */
  readonly sharedMessages: Uint8Array;
  /** The files, by their places in the ledger, that belong to one session each. */
  readonly groups: readonly (readonly number[])[];
}

/** Files belong together where they share a record, a response or a session, directly or through others. */
export function markCopies(ledger: Ledger): Copies {
  const { files } = ledger;
  const sets = createSets<number | string>();
  for (const [file, { facts }] of files.entries()) {
    sets.join(file, facts.sessionId === null ? file : `session ${facts.sessionId}`);
  }
  const join = (left: number, right: number): void => sets.join(left, right);
  const { messages, sharedMessages } = markMessages(ledger, join);
  const calls = markCalls(ledger);
  const usage = markUsage(ledger, join);
  const groups = new Map<number | string, number[]>();
  for (const file of files.keys()) {
    const root = sets.find(file);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [file]);
    else group.push(file);
  }
  return { messages, calls, usage, sharedMessages, groups: [...groups.values()] };
}

type Join = (left: number, right: number) => void;

/** Of a record the file whose path comes first has the original. */
function markMessages({ files, messages }: Ledger, join: Join): Pick<Copies, "messages" | "sharedMessages"> {
  const { uuidLow, uuidHigh } = messages;
  const [copies, shared] = [new Uint8Array(uuidLow.length), new Uint8Array(uuidLow.length)];
  const ids = createIdTable(uuidLow.length);
  const owners = new Int32Array(uuidLow.length);
  const rows = new Int32Array(uuidLow.length);
  for (const [file, { messages: range }] of files.entries()) {
    for (let row = range.start; row < range.end; row += 1) {
      const low = uuidLow[row] as number;
      if (low === 0) continue;
      const { size } = ids;
      const id = ids.add(low, uuidHigh[row] as number);
      if (id === size) {
        owners[id] = file;
        rows[id] = row;
        continue;
      }
      copies[row] = 1;
      shared[row] = 1;
      shared[rows[id] as number] = 1;
      join(owners[id] as number, file);
    }
  }
  return { messages: copies, sharedMessages: shared };
}

function markCalls({ files, calls }: Ledger): Uint8Array {
  const copies = new Uint8Array(calls.idLow.length);
  const ids = createIdTable(copies.length);
  for (const { calls: range } of files) {
    for (let row = range.start; row < range.end; row += 1) {
      const { size } = ids;
      if (ids.add(calls.idLow[row] as number, calls.idHigh[row] as number) < size) copies[row] = 1;
    }
  }
  return copies;
}

/** Of a response it is the file that counted more output; of two that counted alike, one that is final, else the first. */
function markUsage({ files, usage }: Ledger, join: Join): Uint8Array {
  const { messageLow, messageHigh, outputTokens, flags } = usage;
  const copies = new Uint8Array(messageLow.length);
  const ids = createIdTable(messageLow.length);
  const best = new Int32Array(messageLow.length);
  const owners = new Int32Array(messageLow.length);
  for (const [file, { usage: range }] of files.entries()) {
    for (let row = range.start; row < range.end; row += 1) {
      if (((flags[row] as number) & IS_ADVISOR) !== 0) continue;
      const { size } = ids;
      const id = ids.add(messageLow[row] as number, messageHigh[row] as number);
      if (id === size) {
        best[id] = row;
        owners[id] = file;
        continue;
      }
      join(owners[id] as number, file);
      const known = best[id] as number;
      const [now, then] = [outputTokens[row] as number, outputTokens[known] as number];
      const isFinalNow = ((flags[row] as number) & IS_FINAL) > ((flags[known] as number) & IS_FINAL);
      if (now > then || (now === then && isFinalNow)) best[id] = row;
    }
  }
  markLesser({ usage, best, ids, copies });
  return copies;
}

/** What advisors used in a response goes where the response goes; their rows follow it. */
function markLesser(of: {
  readonly usage: Ledger["usage"];
  readonly best: Int32Array;
  readonly ids: IdTable;
  readonly copies: Uint8Array;
}): void {
  const { usage, best, ids, copies } = of;
  if (ids.size === copies.length) return;
  let isCopy = 0;
  for (let row = 0; row < copies.length; row += 1) {
    const id = ids.find(usage.messageLow[row] as number, usage.messageHigh[row] as number);
    if (((usage.flags[row] as number) & IS_ADVISOR) === 0) isCopy = best[id] === row ? 0 : 1;
    copies[row] = isCopy;
  }
}
