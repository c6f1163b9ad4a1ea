import { z } from "zod";
import { SkeinError, systemClock, toSkeinError } from "../../../core/internal.ts";
import { asData } from "../../../protocol/index.ts";
import { SkippedData, toUnreadData, UnreadData, unreadNotes } from "../../../page/index.ts";
import { createSpinner, formatBytes, formatDuration, formatNotes, formatNumberOf } from "../../../terminal/index.ts";
import type { RefreshProgress } from "../../../transcript/internal.ts";
import { switchFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { createProgressText, homeFlag, openIndex, openTotals } from "./open-transcripts.ts";

const IndexData = z.strictObject({
  transcripts: z.int().describe("How many transcripts there are, those of sub-agents too"),
  transcripts_read: z.int().describe("Of these: how many had something new"),
  bytes_read: z.int().describe("How much was indexed now, in bytes"),
  index_bytes: z.int().describe("What the index takes on the disk, in bytes"),
  duration_ms: z.number().describe("How long it took, in milliseconds"),
  ...UnreadData.shape,
});

export const index = defineCommand({
  name: "index",
  summary: "Index the text of all sessions for search",
  effects: { changes: "adds", isRepeatable: true, reaches: "machine" },
  args: z.object({ claudeHome: homeFlag }),
  data: IndexData,
  errorDetails: z.object({
    bytes: z.int().optional().describe("Where it was interrupted: how much was to be indexed, in bytes"),
    bytes_done: z.int().optional().describe("Of that: how much was indexed, and can be searched"),
  }),
  examples: ["index", "index --output-format json"],
  async run({ claudeHome }, context) {
    let progress: RefreshProgress | undefined;
    const onProgress = (last: RefreshProgress): void => void (progress = last);
    try {
      await using opened = await openIndex(claudeHome, context, { onProgress });
      const { files, filesRead, bytesRead, indexBytes, durationMs } = opened.refreshed;
      const counts = { transcripts: files, transcriptsRead: filesRead, bytesRead, indexBytes, durationMs };
      return {
        ...asData(IndexData.omit({ skipped: true, broken_lines: true }), counts),
        ...toUnreadData(opened.refreshed),
      };
    } catch (error) {
      throw toSkeinError(error).kind === "cancelled" && progress?.step === "indexing" ? interrupted(progress) : error;
    }
  },
  format: formatIndexed,
});

function interrupted({ bytes, bytesDone }: RefreshProgress): SkeinError {
  const words = `Interrupted: of ${formatBytes(bytes)}, ${formatBytes(bytesDone)} are indexed and can be searched`;
  return new SkeinError(words, {
    kind: "cancelled",
    hint: "skein index goes on where it was",
    details: { bytes, bytes_done: bytesDone },
  });
}

function formatIndexed(found: z.infer<typeof IndexData>, { terminal }: CommandContext): string {
  const { transcripts, transcripts_read: read, bytes_read: bytes, index_bytes: size, duration_ms: ms } = found;
  const mark = terminal.colors.green("✓");
  const all = `${mark} ${formatNumberOf(transcripts, "transcript")} can be searched; the index takes ${formatBytes(size)}\n`;
  const now = `Indexed ${formatBytes(bytes)} of ${formatNumberOf(read, "transcript")} in ${formatDuration(ms)}`;
  return all + formatNotes([read > 0 ? now : "Nothing was new", ...unreadNotes(found)], terminal);
}

const ArchiveData = z.strictObject({
  is_on: z.boolean().describe("Whether copies are kept from now on"),
  transcripts: z.int().describe("How many transcripts there are, those of sub-agents too"),
  transcript_bytes: z.int().describe("Their size, in bytes"),
  copied: z.int().describe("Of these: how many were copied now, or had something new"),
  copies: z.int().describe("How many copies there are, those of deleted transcripts too"),
  copy_bytes: z.int().describe("What the copies take on the disk, in bytes"),
  skipped: z.array(SkippedData).describe("Transcripts that could not be copied"),
});

export const archive = defineCommand({
  name: "archive",
  summary: "Keep copies of transcripts before they are deleted",
  effects: { changes: "adds", isRepeatable: true, reaches: "machine" },
  args: z.object({
    off: switchFlag("Make no copies from now on; those that there are stay"),
    claudeHome: homeFlag,
  }),
  data: ArchiveData,
  examples: ["archive", "archive --off"],
  async run({ off, claudeHome }, context) {
    const { terminal, signal, print } = context;
    await using opened = await openTotals(claudeHome, context);
    const spinner = createSpinner((text) => void print(text), terminal, systemClock);
    const describe = createProgressText(systemClock);
    try {
      const report = await opened.totals.archive({
        isOn: !off,
        signal,
        onProgress: (progress) => void (terminal.isLive && spinner.start(describe("Copying", progress))),
      });
      return asData(ArchiveData, report);
    } finally {
      spinner.stop();
    }
  },
  format: formatArchive,
});

function formatArchive(found: z.infer<typeof ArchiveData>, { terminal }: CommandContext): string {
  const { is_on: isOn, transcripts, transcript_bytes: bytes, copied, copies, copy_bytes: size, skipped } = found;
  const { green, cyan } = terminal.colors;
  const taken = `The copies take ${formatBytes(size)} on the disk`;
  if (!isOn) {
    const rest = copies === 0 ? [] : [`${taken}; ${cyan("skein archive")} keeps them up to date again`];
    return `${green("✓")} No copies are made from now on\n${formatNotes(rest, terminal)}`;
  }
  const notes = [
    `${formatNumberOf(transcripts, "transcript")}, ${formatBytes(bytes)}; ${copied} copied now`,
    taken,
    ...skipped.map(({ message }) => message),
  ];
  return `${green("✓")} Copies of transcripts are kept from now on\n${formatNotes(notes, terminal)}`;
}
