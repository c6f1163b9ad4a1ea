import { Circle, CircleCheck, CircleDot } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { Code } from "./code.tsx";
import { EditDiff } from "./diff.tsx";
import { Markdown } from "./markdown.tsx";
import { plainLine } from "./plain.ts";
import styles from "./tool-call.module.css";
import { fieldsOf, jsonText, textOf, todosOf, type Todo } from "./tool-words.ts";
import { visibleText } from "./visible-text.ts";

type Fields = Readonly<Record<string, unknown>>;

const SHOWN_LINES = 40;

/** What a call does, as people read it: a command as a command, an edit as a diff, a plan as its text; anything else as JSON. */
export function ToolInput({ tool, input }: { readonly tool: string; readonly input: unknown }): ReactNode {
  const fields = useMemo(() => fieldsOf(input), [input]);
  const Shown = Object.hasOwn(WAYS, tool) ? WAYS[tool] : undefined;
  // What has not the shape that its tool asks for is shown as it came.
  return (Shown && Shown.isFit(fields) && <Shown.Way fields={fields} />) || <Anything input={input} />;
}

interface Way {
  readonly isFit: (fields: Fields) => boolean;
  readonly Way: (props: { readonly fields: Fields }) => ReactNode;
}

const has =
  (...names: readonly string[]) =>
  (fields: Fields): boolean =>
    names.every((name) => typeof fields[name] === "string");

const WAYS: Readonly<Record<string, Way>> = {
  Bash: { isFit: has("command"), Way: Command },
  SlashCommand: { isFit: has("command"), Way: Command },
  Edit: { isFit: has("file_path", "old_string", "new_string"), Way: Edits },
  MultiEdit: { isFit: ({ edits }) => Array.isArray(edits), Way: Edits },
  Write: { isFit: has("file_path", "content"), Way: Written },
  NotebookEdit: { isFit: has("notebook_path", "new_source"), Way: Notebook },
  Read: { isFit: has("file_path"), Way: Named },
  LS: { isFit: has("path"), Way: Named },
  Glob: { isFit: has("pattern"), Way: Named },
  Grep: { isFit: has("pattern"), Way: Named },
  WebFetch: { isFit: has("url"), Way: Fetched },
  WebSearch: { isFit: has("query"), Way: Named },
  TodoWrite: { isFit: ({ todos }) => Array.isArray(todos), Way: Todos },
  ExitPlanMode: { isFit: has("plan"), Way: Plan },
  exit_plan_mode: { isFit: has("plan"), Way: Plan },
  Task: { isFit: has("prompt"), Way: SubAgent },
  Agent: { isFit: has("prompt"), Way: SubAgent },
  AskUserQuestion: { isFit: ({ questions }) => Array.isArray(questions), Way: Questions },
};

function Command({ fields }: { readonly fields: Fields }): ReactNode {
  const description = textOf(fields, "description");
  return (
    <div className={styles["input"]}>
      {description !== "" && <p className="quiet small">{plainLine(description)}</p>}
      <Code text={textOf(fields, "command")} language="bash" mostLines={SHOWN_LINES} isWrapped />
      <Others fields={fields} known={["command", "description"]} />
    </div>
  );
}

function Edits({ fields }: { readonly fields: Fields }): ReactNode {
  const path = textOf(fields, "file_path");
  const edits = Array.isArray(fields["edits"]) ? (fields["edits"] as readonly unknown[]).map(fieldsOf) : [fields];
  return (
    <div className={styles["input"]}>
      <FileName path={path} note={fields["replace_all"] === true ? "everywhere in the file" : undefined} />
      <div className={styles["frame"]}>
        {edits.map((edit, place) => (
          <EditDiff
            key={place}
            path={path}
            before={textOf(edit, "old_string")}
            after={textOf(edit, "new_string")}
            mostRows={SHOWN_LINES}
            isNumbered={false}
          />
        ))}
      </div>
    </div>
  );
}

function Written({ fields }: { readonly fields: Fields }): ReactNode {
  const path = textOf(fields, "file_path");
  return (
    <div className={styles["input"]}>
      <FileName path={path} note="the whole file" />
      <Code text={textOf(fields, "content")} path={path} mostLines={SHOWN_LINES} isNumbered />
    </div>
  );
}

function Notebook({ fields }: { readonly fields: Fields }): ReactNode {
  const cell = textOf(fields, "cell_id");
  return (
    <div className={styles["input"]}>
      <FileName path={textOf(fields, "notebook_path")} note={cell === "" ? "a cell" : `cell ${plainLine(cell)}`} />
      <Code
        text={textOf(fields, "new_source")}
        language={fields["cell_type"] === "markdown" ? "markdown" : "python"}
        mostLines={SHOWN_LINES}
      />
    </div>
  );
}

function FileName({ path, note }: { readonly path: string; readonly note: string | undefined }): ReactNode {
  return (
    <p className={styles["file"]}>
      <span className="mono">{plainLine(path, 4000)}</span>
      {note !== undefined && <span className="quiet small">{note}</span>}
    </p>
  );
}

function Fetched({ fields }: { readonly fields: Fields }): ReactNode {
  const url = textOf(fields, "url");
  const prompt = textOf(fields, "prompt");
  return (
    <div className={styles["input"]}>
      <p>
        Host <strong className="mono">{hostOf(url)}</strong>
      </p>
      <p className={`mono quiet ${styles["long"]}`}>{visibleText(url)}</p>
      {prompt !== "" && <Markdown text={prompt} />}
    </div>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "none: it is no address";
  }
}

function Named({ fields }: { readonly fields: Fields }): ReactNode {
  return <Others fields={fields} known={[]} />;
}

/** Fields beside their values, in two columns. */
function Others({ fields, known }: { readonly fields: Fields; readonly known: readonly string[] }): ReactNode {
  const left = Object.entries(fields).filter(([name]) => !known.includes(name));
  if (left.length === 0) return null;
  return (
    <dl className={styles["fields"]}>
      {left.map(([name, value]) => (
        <div key={name}>
          <dt>{plainLine(name.replaceAll("_", " "))}</dt>
          <dd className="mono">{visibleText((typeof value === "string" ? value : jsonText(value)).slice(0, 4000))}</dd>
        </div>
      ))}
    </dl>
  );
}

const MARKS = { completed: CircleCheck, in_progress: CircleDot, pending: Circle } as const;
const WORDS = { completed: "done", in_progress: "now", pending: "to do" } as const;

function Todos({ fields }: { readonly fields: Fields }): ReactNode {
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
            {plainLine(text)}
          </li>
        );
      })}
    </ul>
  );
}

function Plan({ fields }: { readonly fields: Fields }): ReactNode {
  return <Markdown text={textOf(fields, "plan")} />;
}

function SubAgent({ fields }: { readonly fields: Fields }): ReactNode {
  return (
    <div className={styles["input"]}>
      <Others fields={fields} known={["prompt"]} />
      <Markdown text={textOf(fields, "prompt")} />
    </div>
  );
}

function Questions({ fields }: { readonly fields: Fields }): ReactNode {
  const questions = (fields["questions"] as readonly unknown[]).map(fieldsOf);
  return (
    <div className={styles["input"]}>
      {questions.map((question, place) => {
        const options = Array.isArray(question["options"]) ? (question["options"] as readonly unknown[]) : [];
        return (
          <div key={place}>
            <p className={styles["question"]}>{visibleText(textOf(question, "question"))}</p>
            <ul className={styles["options"]}>
              {options.map(fieldsOf).map((option, which) => (
                <li key={which}>
                  {plainLine(textOf(option, "label"))}
                  <span className="quiet"> {plainLine(textOf(option, "description"))}</span>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </div>
  );
}

function Anything({ input }: { readonly input: unknown }): ReactNode {
  const text = typeof input === "string" ? input : jsonText(input);
  return <Code text={text} {...(typeof input === "string" ? {} : { language: "json" })} mostLines={SHOWN_LINES} />;
}
