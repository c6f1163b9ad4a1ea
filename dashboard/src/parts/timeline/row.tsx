import { Brain, ChevronRight, CircleAlert, CircleCheck, Dot, Layers, TriangleAlert, User } from "lucide-react";
import { memo, useState, type ReactNode } from "react";
import { Button } from "../button.tsx";
import { Code } from "../code.tsx";
import { countText, exactTime, moneyText, tokensText } from "../format.ts";
import { Images } from "../images.tsx";
import { Markdown } from "../markdown.tsx";
import { plainLine } from "../plain.ts";
import { ToolCallRow } from "../tool-call.tsx";
import { jsonText, toolWords } from "../tool-words.ts";
import styles from "../timeline.module.css";
import type {
  Entry,
  Level,
  NoticeEntry,
  PromptEntry,
  RawEntry,
  TextEntry,
  TimelineRow,
  UsageEntry,
} from "./entries.ts";

/** Which rows are opened, by their keys: a row that is scrolled away and back is as it was. */
export type OpenedRows = Map<string, boolean>;

interface Shown {
  readonly level: Level;
  readonly opened: OpenedRows;
}

/** A row of a timeline. */
export const TimelineRowView = memo(function TimelineRowView({
  row,
  ...shown
}: Shown & { readonly row: TimelineRow }): ReactNode {
  switch (row.type) {
    case "raw":
      return <Raw raw={row.raw} opened={shown.opened} />;
    case "steps":
      return <Steps id={row.key} entries={row.entries} {...shown} />;
    case "entry":
      return <EntryView entry={row.entry} {...shown} />;
  }
});

function EntryView({ entry, ...shown }: Shown & { readonly entry: Entry }): ReactNode {
  switch (entry.kind) {
    case "prompt":
      return <Prompt entry={entry} />;
    case "text":
      return <Text entry={entry} isFull={shown.level === "all"} />;
    case "thinking":
      return <Thinking id={entry.key} text={entry.text} isWriting={entry.isWriting} opened={shown.opened} />;
    case "tool":
      return (
        <ToolCallRow
          call={entry.call}
          isOpenAtFirst={shown.opened.get(entry.key) ?? false}
          onToggle={(isShown) => shown.opened.set(entry.key, isShown)}
        >
          {entry.inside.length > 0 && <Inside entries={entry.inside} {...shown} />}
        </ToolCallRow>
      );
    case "notice":
      return <Notice notice={entry} opened={shown.opened} />;
    case "usage":
      return <Usage usage={entry} />;
  }
}

/** What a sub-agent said and did. */
function Inside({ entries, ...shown }: Shown & { readonly entries: readonly Entry[] }): ReactNode {
  const seen = entries.filter(({ kind }) => shown.level === "all" || kind !== "usage");
  return (
    <section className={styles["inside"]} aria-label="Sub-agent">
      <p className={styles["insideTitle"]}>What the sub-agent did</p>
      {seen.map((entry) => (
        <EntryView key={entry.key} entry={entry} {...shown} />
      ))}
    </section>
  );
}

function At({ at }: { readonly at: string | undefined }): ReactNode {
  if (at === undefined) return null;
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return null;
  return (
    <time className={styles["at"]} dateTime={at} title={exactTime(at)}>
      {time.toLocaleTimeString("en-GB")}
    </time>
  );
}

function Prompt({ entry: { text, at, blocks } }: { readonly entry: PromptEntry }): ReactNode {
  return (
    <article className={styles["prompt"]}>
      <header className={styles["who"]}>
        <User aria-hidden /> Prompt <At at={at} />
      </header>
      <Markdown text={text} />
      <Images blocks={blocks} />
    </article>
  );
}

function Text({
  entry: { text, at, model, isWriting },
  isFull,
}: {
  readonly entry: TextEntry;
  readonly isFull: boolean;
}): ReactNode {
  return (
    <article className={styles["text"]}>
      {isFull && (
        <header className={styles["who"]}>
          {model ?? "Agent"} <At at={at} />
        </header>
      )}
      <Markdown text={text} streaming={isWriting} />
    </article>
  );
}

function Thinking({
  id,
  text,
  isWriting,
  opened,
}: {
  readonly id: string;
  readonly text: string;
  readonly isWriting: boolean;
  readonly opened: OpenedRows;
}): ReactNode {
  const [isShown, show] = useOpened(id, opened);
  const line = plainLine(isWriting ? text.slice(-300) : text, 300);
  return (
    <div className={styles["thinking"]}>
      <button
        type="button"
        className={styles["fold"]}
        aria-expanded={isShown}
        onClick={show}
        disabled={text.trim() === ""}
      >
        <Brain aria-hidden />
        <span className={styles["foldWords"]} data-writing={isWriting}>
          {text.trim() === "" ? "Thought without words" : isShown ? "Thinking" : line}
        </span>
        {text.trim() !== "" && <ChevronRight aria-hidden className={styles["chevron"]} />}
      </button>
      {isShown && (
        <div className={styles["thought"]}>
          <Markdown text={text} />
        </div>
      )}
    </div>
  );
}

const NOTICE_ICONS = { good: CircleCheck, bad: CircleAlert, attention: TriangleAlert, neutral: Dot } as const;

function Notice({
  notice: { key, meaning, words, detail, action },
  opened,
}: {
  readonly notice: NoticeEntry;
  readonly opened: OpenedRows;
}): ReactNode {
  const [isShown, show] = useOpened(key, opened);
  const Icon = NOTICE_ICONS[meaning];
  return (
    <div className={styles["notice"]} data-meaning={meaning}>
      <button
        type="button"
        className={styles["fold"]}
        aria-expanded={detail !== undefined && isShown}
        disabled={!detail}
        onClick={show}
      >
        <Icon aria-hidden />
        <span className={styles["noticeWords"]}>{plainLine(words, 1000)}</span>
        {detail !== undefined && <ChevronRight aria-hidden className={styles["chevron"]} />}
      </button>
      {action && (
        <Button size="small" className={styles["action"] ?? ""} onClick={action.run}>
          {action.label}
        </Button>
      )}
      {isShown && detail !== undefined && (
        <div className={styles["thought"]}>
          <Code text={detail} mostLines={40} />
        </div>
      )}
    </div>
  );
}

function Usage({ usage }: { readonly usage: UsageEntry }): ReactNode {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costUsd, isLowerBound } = usage;
  const read = inputTokens + cacheReadTokens + cacheWriteTokens;
  return (
    <p className={styles["usage"]} title={usage.model}>
      <span className="number">{tokensText(read)}</span> tokens read
      {cacheReadTokens > 0 && (
        <>
          , <span className="number">{tokensText(cacheReadTokens)}</span> of it cached
        </>
      )}
      {" · "}
      <span className="number">
        {isLowerBound ? "≥" : ""}
        {tokensText(outputTokens)}
      </span>{" "}
      tokens written
      {costUsd !== undefined && (
        <>
          {" · "}
          <span className="number">
            {isLowerBound ? "≥" : ""}
            {moneyText(costUsd)}
          </span>
        </>
      )}
    </p>
  );
}

/** Calls between two texts, as one line that opens. */
function Steps({
  id,
  entries,
  ...shown
}: Shown & { readonly id: string; readonly entries: readonly Entry[] }): ReactNode {
  const [isShown, show] = useOpened(id, shown.opened);
  const failed = entries.filter((entry) => entry.kind === "tool" && (entry.call.isError || entry.call.isDenied)).length;
  return (
    <div className={styles["steps"]}>
      <button type="button" className={styles["fold"]} aria-expanded={isShown} onClick={show}>
        <Layers aria-hidden />
        <span className={styles["foldWords"]}>
          {countText(entries.length, "step")}
          {failed > 0 && <span className={styles["failed"]}>, {failed} failed</span>}
          <span className={styles["stepWords"]}>{stepWords(entries)}</span>
        </span>
        <ChevronRight aria-hidden className={styles["chevron"]} />
      </button>
      {isShown && (
        <div className={styles["stepList"]}>
          {entries.map((entry) => (
            <EntryView key={entry.key} entry={entry} {...shown} />
          ))}
        </div>
      )}
    </div>
  );
}

/** `Read 3, Edit 2, Run`. */
function stepWords(entries: readonly Entry[]): string {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== "tool") continue;
    const { verb } = toolWords(entry.call.tool, entry.call.input);
    counts.set(verb, (counts.get(verb) ?? 0) + 1);
  }
  return [...counts].map(([verb, count]) => (count > 1 ? `${verb} ×${count}` : verb)).join(", ");
}

function Raw({
  raw: { key, title, at, value },
  opened,
}: {
  readonly raw: RawEntry;
  readonly opened: OpenedRows;
}): ReactNode {
  const [isShown, show] = useOpened(`raw ${key}`, opened);
  return (
    <div className={styles["raw"]}>
      <button type="button" className={styles["fold"]} aria-expanded={isShown} onClick={show}>
        <ChevronRight aria-hidden className={styles["chevron"]} />
        <code className={styles["rawTitle"]}>{title}</code>
        <code className={styles["rawLine"]}>{isShown ? "" : oneLine(value)}</code>
        <At at={at} />
      </button>
      {isShown && <Code text={jsonText(value)} language="json" mostLines={60} />}
    </div>
  );
}

function oneLine(value: unknown): string {
  try {
    return plainLine(JSON.stringify(value).slice(0, 800), 300);
  } catch {
    return "";
  }
}

function useOpened(key: string, opened: OpenedRows): readonly [isShown: boolean, toggle: () => void] {
  const [isShown, setShown] = useState(opened.get(key) ?? false);
  return [
    isShown,
    () => {
      opened.set(key, !isShown);
      setShown(!isShown);
    },
  ];
}
