/**
 * What a terminal shows. Every command's text is made of these parts, and of nothing else:
 *
 * - `formatTable` rows with headers; say of each column whether it is to the right (numbers), and what becomes of it where there is
 *   no room (`narrow`: cut, wrapped, dropped); `total` is the line of sums
 * - `formatCard` names and values of one thing
 * - `formatTree`, or `treeLines` as the first column of a table
 * - `formatList` items with a mark, and notes below them
 * - `formatPatch` a unified patch
 *
 * They keep to `terminal.columns`, which is without end in a pipe, so nothing is cut there. Money that stands in a column is from
 * `formatUsdColumn`; times are from `formatWhen`: how long ago on a terminal, by the clock in a pipe, and ISO in JSON.
 * Text from outside goes through `plainLine` or `plainText`; `plainOutput` guards the rest, and draws in ASCII where the locale says so.
 */
export { type CardRow, formatCard } from "./card.ts";
export { type BodyLine, diffLines, toAdded, toRemoved } from "./diff-lines.ts";
export {
  formatAge,
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  formatElapsed,
  formatMoment,
  formatNumberOf,
  formatReward,
  formatUsd,
  formatUsdColumn,
  formatWhen,
  modelName,
  parseMoment,
} from "./format.ts";
export {
  createPlainTextStream,
  dotted,
  markdownLine,
  plainLine,
  plainOutput,
  plainText,
  promptLine,
} from "./plain-text.ts";
export { formatList, type ListItem } from "./list.ts";
export { formatNotes } from "./notes.ts";
export { formatPatch } from "./patch.ts";
export { createSpinner, SPINNER_FRAMES } from "./spinner.ts";
export { describeTerminal, type Terminal, type TerminalStreams } from "./terminal.ts";
export { type Column, formatTable, type Table } from "./table.ts";
export { formatTree, treeLines, type TreeNode } from "./tree.ts";
export { breakText, fitLine, padLine, widthOf, wrapText } from "./width.ts";
export { toolLine, toolTitle } from "./tool-line.ts";
