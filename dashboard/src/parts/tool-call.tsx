import {
  BookOpen,
  Bot,
  ChevronRight,
  CircleHelp,
  FilePen,
  FilePlus,
  Globe,
  ListTodo,
  Map,
  Puzzle,
  Search,
  Sparkles,
  SquareTerminal,
} from "lucide-react";
import { memo, useContext, useMemo, useState, type ComponentType, type ReactNode } from "react";
import { Code } from "./code.tsx";
import { Directory } from "./directory.ts";
import { Elapsed } from "./elapsed.tsx";
import { durationText } from "./format.ts";
import { Images } from "./images.tsx";
import { plainText } from "./plain.ts";
import styles from "./tool-call.module.css";
import { ToolInput } from "./tool-input.tsx";
import { outputText, resultWords, textOf, fieldsOf, numberedLines, toolWords, type ToolKind } from "./tool-words.ts";

export { ToolInput } from "./tool-input.tsx";

const ICONS: Readonly<Record<ToolKind, ComponentType<{ readonly "aria-hidden"?: boolean }>>> = {
  command: SquareTerminal,
  read: BookOpen,
  write: FilePlus,
  edit: FilePen,
  find: Search,
  web: Globe,
  agent: Bot,
  list: ListTodo,
  plan: Map,
  question: CircleHelp,
  skill: Sparkles,
  other: Puzzle,
};

/** A tool call as one readable line: its icon, and its words. */
export function toolLine(
  tool: string,
  input: unknown,
  directory?: string,
): { readonly icon: ReactNode; readonly words: string; readonly verb: string; readonly what: string } {
  const { kind, verb, what } = toolWords(tool, input, directory);
  const Icon = ICONS[kind];
  return { icon: <Icon aria-hidden />, words: what === "" ? verb : `${verb} ${what}`, verb, what };
}

/** A call of a tool, as far as it has come. */
export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  /** What it answered: text, or content blocks; null where it has not. */
  readonly output: unknown;
  readonly isError: boolean;
  readonly isDenied: boolean;
  /** Whether it has no result, now or for ever. */
  readonly isOpen: boolean;
  readonly durationMs: number | undefined;
  /** Since when it runs, where it does. */
  readonly runsSince?: string | undefined;
}

/** One line of a call, which opens in place and shows what went in and what came out. */
export const ToolCallRow = memo(function ToolCallRow({
  call,
  isOpenAtFirst = false,
  onToggle,
  children,
}: {
  readonly call: ToolCall;
  readonly isOpenAtFirst?: boolean;
  readonly onToggle?: (isShown: boolean) => void;
  /** What a sub-agent did in it. */
  readonly children?: ReactNode;
}): ReactNode {
  const [isShown, setShown] = useState(isOpenAtFirst);
  const { tool, input, isError, isDenied, isOpen, durationMs, runsSince } = call;
  const { icon, verb, what } = toolLine(tool, input, useContext(Directory));
  const toggle = (): void => {
    setShown(!isShown);
    onToggle?.(!isShown);
  };
  const state = isDenied
    ? "denied"
    : isError
      ? "failed"
      : isOpen
        ? runsSince === undefined
          ? "open"
          : "running"
        : "done";
  return (
    <div className={styles["call"]} data-state={state} data-tool={tool}>
      <button type="button" className={styles["row"]} aria-expanded={isShown} onClick={toggle}>
        <span className={styles["icon"]}>{icon}</span>
        <span className={styles["words"]} title={textOf(fieldsOf(input), "description") || undefined}>
          <span>{verb}</span> <code>{what}</code>
        </span>
        <span className={styles["result"]}>
          {state === "open" ? "no result" : resultWords(call, { isError, isDenied })}
        </span>
        <span className={`number ${styles["duration"]}`}>
          {runsSince !== undefined && isOpen ? (
            <Elapsed since={runsSince} />
          ) : durationMs === undefined ? (
            ""
          ) : (
            durationText(durationMs)
          )}
        </span>
        <ChevronRight aria-hidden className={styles["chevron"]} />
      </button>
      {isShown && (
        <div className={styles["body"]}>
          <ToolInput tool={tool} input={input} />
          {children}
          <Output call={call} />
        </div>
      )}
    </div>
  );
});

function isEdit(tool: string, input: unknown): boolean {
  const { kind } = toolWords(tool, input);
  return kind === "edit" || kind === "write";
}

/** What is read is code; what a command writes is text. */
function Output({ call }: { readonly call: ToolCall }): ReactNode {
  const { tool, input, output, isError, isOpen } = call;
  const text = useMemo(() => plainText(outputText(output)), [output]);
  const path = tool === "Read" && !isError ? textOf(fieldsOf(input), "file_path") : "";
  const numbered = useMemo(() => (path === "" ? undefined : numberedLines(text)), [path, text]);
  if (isOpen) return <p className="quiet small">No result yet.</p>;
  // That the file was changed is what the edit above it says.
  if (!isError && isEdit(tool, input)) return null;
  return (
    <>
      {text.trim() === "" ? (
        <p className="quiet small">It answered nothing.</p>
      ) : (
        <div className={styles["output"]} data-failed={isError}>
          <Code
            text={numbered?.text ?? text}
            mostLines={20}
            isNumbered={numbered !== undefined}
            firstLine={numbered?.first ?? 1}
            {...(path === "" ? {} : { path })}
          />
        </div>
      )}
      <Images blocks={output} />
    </>
  );
}
