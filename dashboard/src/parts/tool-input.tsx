import { Circle, CircleCheck, CircleDot } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { Code } from "./code.tsx";
import { EditDiff } from "./diff.tsx";
import { Markdown } from "./markdown.tsx";
import { AskedMarkdown, LongText } from "./long-text.tsx";
import styles from "./tool-call.module.css";
import { fieldsOf, jsonText, textOf, todosOf, type Todo } from "./tool-words.ts";
import { visibleText } from "./visible-text.ts";

type Fields = Readonly<Record<string, unknown>>;

const SHOWN_LINES = 40;

/** What a call does, as people read it: a command as a command, an edit as a diff, a plan as its text; anything else as JSON. No field is left out, and nothing is cut without a word. */
export function ToolInput({
  tool,
  input,
  isAsked = false,
}: {
  readonly tool: string;
  readonly input: unknown;
  /** Whether somebody is to allow it: then texts are as they were written, not as Markdown draws them. */
  readonly isAsked?: boolean;
}): ReactNode {
  const fields = useMemo(() => fieldsOf(input), [input]);
  const Shown = Object.hasOwn(WAYS, tool) ? WAYS[tool] : undefined;
  // What has not the shape that its tool asks for is shown as it came.
  if (!Shown?.isFit(fields)) return <Anything input={input} />;
  return (
    <div className={styles["input"]}>
      <Shown.Way fields={fields} isAsked={isAsked} />
      <Others fields={fields} known={Shown.known} />
    </div>
  );
}

interface WayProps {
  readonly fields: Fields;
  readonly isAsked: boolean;
}

interface Way {
  readonly isFit: (fields: Fields) => boolean;
  readonly Way: (props: WayProps) => ReactNode;
  /** The fields that it shows; all others are shown below. */
  readonly known: readonly string[];
}

const way = (Shown: Way["Way"], isFit: Way["isFit"], ...known: readonly string[]): Way => ({
  Way: Shown,
  isFit,
  known,
});

const has =
  (...names: readonly string[]) =>
  (fields: Fields): boolean =>
    names.every((name) => typeof fields[name] === "string");

const areTexts = (list: unknown, ...names: readonly string[]): boolean =>
  Array.isArray(list) && list.every((each) => has(...names)(fieldsOf(each)));

const COMMAND = way(Command, has("command"), "command", "description");
const NAMED = (name: string): Way => way(() => null, has(name));
const PLAN = way(Plan, has("plan"), "plan");
const SUB_AGENT = way(SubAgent, has("prompt"), "prompt");

const WAYS: Readonly<Record<string, Way>> = {
  Bash: COMMAND,
  SlashCommand: COMMAND,
  Edit: way(
    Edits,
    has("file_path", "old_string", "new_string"),
    "file_path",
    "old_string",
    "new_string",
    "replace_all",
  ),
  MultiEdit: way(
    Edits,
    (fields) => has("file_path")(fields) && areTexts(fields["edits"], "old_string", "new_string"),
    "file_path",
    "edits",
  ),
  Write: way(Written, has("file_path", "content"), "file_path", "content"),
  NotebookEdit: way(Notebook, has("notebook_path", "new_source"), "notebook_path", "new_source", "cell_id"),
  Read: NAMED("file_path"),
  LS: NAMED("path"),
  Glob: NAMED("pattern"),
  Grep: NAMED("pattern"),
  WebFetch: way(Fetched, has("url"), "url", "prompt"),
  WebSearch: NAMED("query"),
  TodoWrite: way(Todos, ({ todos }) => areTexts(todos, "content"), "todos"),
  ExitPlanMode: PLAN,
  exit_plan_mode: PLAN,
  Task: SUB_AGENT,
  Agent: SUB_AGENT,
  AskUserQuestion: way(Questions, ({ questions }) => areTexts(questions, "question"), "questions"),
};

function Command({ fields }: WayProps): ReactNode {
  const description = textOf(fields, "description");
  return (
    <>
      {description !== "" && (
        <div className="quiet small">
          <LongText text={description} label="Description" />
        </div>
      )}
      <Code text={textOf(fields, "command")} language="bash" mostLines={SHOWN_LINES} isWrapped />
    </>
  );
}

function Edits({ fields }: WayProps): ReactNode {
  const path = textOf(fields, "file_path");
  const edits = Array.isArray(fields["edits"]) ? (fields["edits"] as readonly unknown[]).map(fieldsOf) : [fields];
  const isOne = edits[0] === fields;
  return (
    <>
      <FileName path={path} note={isOne ? everywhere(fields) : undefined} />
      <div className={styles["frame"]}>
        {edits.map((edit, place) => (
          <div key={place}>
            {!isOne && <EditNote edit={edit} />}
            <EditDiff
              path={path}
              before={textOf(edit, "old_string")}
              after={textOf(edit, "new_string")}
              mostRows={SHOWN_LINES}
              isNumbered={false}
            />
          </div>
        ))}
      </div>
    </>
  );
}

function everywhere({ replace_all: isEverywhere }: Fields): string | undefined {
  return isEverywhere === undefined || isEverywhere === false
    ? undefined
    : isEverywhere === true
      ? "everywhere in the file"
      : `replace all: ${jsonText(isEverywhere)}`;
}

/** What one of several edits says besides its texts. */
function EditNote({ edit }: { readonly edit: Fields }): ReactNode {
  const note = everywhere(edit);
  return (
    <>
      {note !== undefined && <p className={`quiet small ${styles["editNote"]}`}>{visibleText(note)}</p>}
      <Others fields={edit} known={["old_string", "new_string", "replace_all"]} />
    </>
  );
}

function Written({ fields }: WayProps): ReactNode {
  const path = textOf(fields, "file_path");
  return (
    <>
      <FileName path={path} note="the whole file" />
      <Code text={textOf(fields, "content")} path={path} mostLines={SHOWN_LINES} isNumbered isWrapped />
    </>
  );
}

function Notebook({ fields }: WayProps): ReactNode {
  const cell = textOf(fields, "cell_id");
  return (
    <>
      <FileName path={textOf(fields, "notebook_path")} note={cell === "" ? "a cell" : `cell ${cell}`} />
      <Code
        text={textOf(fields, "new_source")}
        language={fields["cell_type"] === "markdown" ? "markdown" : "python"}
        mostLines={SHOWN_LINES}
        isWrapped
      />
    </>
  );
}

function FileName({ path, note }: { readonly path: string; readonly note: string | undefined }): ReactNode {
  return (
    <div className={styles["file"]}>
      <div className="mono">
        <LongText text={path} label="Path" />
      </div>
      {note !== undefined && (
        <div className="quiet small">
          <LongText text={note} label="Which part" />
        </div>
      )}
    </div>
  );
}

function Fetched({ fields, isAsked }: WayProps): ReactNode {
  const url = textOf(fields, "url");
  const prompt = textOf(fields, "prompt");
  return (
    <>
      <p className={styles["long"]}>
        Host <strong className="mono">{visibleText(hostOf(url))}</strong>
      </p>
      <div className="mono quiet">
        <LongText text={url} label="Address" />
      </div>
      {prompt !== "" && <Prompt text={prompt} isAsked={isAsked} />}
    </>
  );
}

/** What a model is told: as it is written where it is to be allowed. */
function Prompt({ text, isAsked }: { readonly text: string; readonly isAsked: boolean }): ReactNode {
  return isAsked ? <AskedMarkdown text={text} label="Prompt" isWrittenAtFirst /> : <Markdown text={text} />;
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "none: it is no address";
  }
}

/** Fields beside their values, in two columns. */
function Others({ fields, known }: { readonly fields: Fields; readonly known: readonly string[] }): ReactNode {
  const left = Object.entries(fields).filter(([name]) => !known.includes(name));
  if (left.length === 0) return null;
  return (
    <dl className={styles["fields"]}>
      {left.map(([name, value]) => (
        <div key={name}>
          <dt>
            <LongText text={name.replaceAll("_", " ")} label="Name of a field" />
          </dt>
          <dd className="mono">
            <LongText
              text={typeof value === "string" ? value : jsonText(value)}
              label={visibleText(name.slice(0, 80))}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const MARKS = { completed: CircleCheck, in_progress: CircleDot, pending: Circle } as const;
const WORDS = { completed: "done", in_progress: "now", pending: "to do" } as const;

function Todos({ fields }: WayProps): ReactNode {
  return <TodoList todos={todosOf(fields)} />;
}

/** Things to do, and how it stands with each. */
function TodoList({ todos }: { readonly todos: readonly Todo[] }): ReactNode {
  return (
    <ul className={styles["todos"]}>
      {todos.map(({ text, status }, place) => {
        const Mark = MARKS[status];
        return (
          <li key={place} data-status={status}>
            <Mark aria-hidden />
            <span className="said">{WORDS[status]}: </span>
            <LongText text={text} label="To do" />
          </li>
        );
      })}
    </ul>
  );
}

function Plan({ fields, isAsked }: WayProps): ReactNode {
  const plan = textOf(fields, "plan");
  return isAsked ? <AskedMarkdown text={plan} label="Plan" /> : <Markdown text={plan} />;
}

function SubAgent({ fields, isAsked }: WayProps): ReactNode {
  return <Prompt text={textOf(fields, "prompt")} isAsked={isAsked} />;
}

function Questions({ fields }: WayProps): ReactNode {
  const questions = (fields["questions"] as readonly unknown[]).map(fieldsOf);
  return (
    <>
      {questions.map((question, place) => {
        const options = Array.isArray(question["options"]) ? (question["options"] as readonly unknown[]) : [];
        return (
          <div key={place}>
            <div className={styles["question"]}>
              <LongText text={textOf(question, "question")} label="Question" />
            </div>
            <ul className={styles["options"]}>
              {options.map(fieldsOf).map((option, which) => (
                <li key={which}>
                  {visibleText(textOf(option, "label"))}
                  <span className="quiet"> {visibleText(textOf(option, "description"))}</span>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </>
  );
}

function Anything({ input }: { readonly input: unknown }): ReactNode {
  const text = typeof input === "string" ? input : jsonText(input);
  return (
    <Code text={text} {...(typeof input === "string" ? {} : { language: "json" })} mostLines={SHOWN_LINES} isWrapped />
  );
}
