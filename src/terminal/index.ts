export { type DetailRow, detailRows } from "./detail-rows.ts";
export { type BodyLine, diffLines, toAdded, toRemoved } from "./diff-lines.ts";
export {
  formatAge,
  formatBytes,
  formatCount,
  formatDuration,
  formatElapsed,
  formatMoment,
  formatNumberOf,
  formatReward,
  formatUsd,
  parseMoment,
} from "./format.ts";
export {
  createPlainTextStream,
  dotted,
  fitLine,
  markdownLine,
  plainLine,
  plainOutput,
  plainText,
  promptLine,
  widthOf,
  wrapText,
} from "./plain-text.ts";
export { createSpinner, SPINNER_FRAMES } from "./spinner.ts";
export { describeTerminal, type Terminal, type TerminalStreams } from "./terminal.ts";
export { toolLine, toolTitle } from "./tool-line.ts";
