import { Search } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useParam, useSetParams } from "../../data/url.ts";
import { useKeys } from "../../frame/keys.ts";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";
import { Select } from "../../parts/select.tsx";
import { ProjectList } from "./project-list.tsx";
import { SearchHitList } from "./search-hits.tsx";
import { SessionRows } from "./session-rows.tsx";
import styles from "./sessions.module.css";
import { FILTERS, SORTS, useProjects, type Filter, type Sort } from "./use-sessions.ts";

const FILTER_NAMES: Readonly<Record<Filter, string>> = {
  all: "All",
  unread: "Unread",
  pinned: "Pinned",
  archived: "Archived",
};

const SORT_NAMES: Readonly<Record<Sort, string>> = {
  recent: "Last active",
  started: "Begun last",
  cost: "Cost",
  tokens: "Tokens",
  messages: "Messages",
  duration: "Duration",
};

/** Claude Code's sessions, by project: those that Skein started and all others. */
export function SessionsView(): ReactNode {
  const set = useSetParams();
  const project = useParam("project");
  const filter = among(FILTERS, useParam("show")) ?? "all";
  const sort = among(SORTS, useParam("sort")) ?? "recent";
  const words = useParam("words") ?? "";
  const projects = useProjects();
  if (projects.data?.projects.length === 0) {
    return (
      <View title="Sessions">
        <Empty title="No session yet" command="claude">
          Every session of Claude Code on this machine is read here: what was said, what it did, what it cost.
        </Empty>
      </View>
    );
  }
  return (
    <View
      title="Sessions"
      actions={
        <Select
          label="Sort"
          value={sort}
          choices={SORTS.map((value) => ({ value, label: SORT_NAMES[value] }))}
          onChange={(next) => set({ sort: next === "recent" ? undefined : next })}
        />
      }
      toolbar={
        <>
          <SearchBox words={words} onSearch={(next) => set({ words: next })} />
          <div className={styles["filters"]} role="group" aria-label="Which sessions">
            {FILTERS.map((each) => (
              <button
                key={each}
                type="button"
                className={styles["filter"]}
                aria-pressed={each === filter}
                onClick={() => set({ show: each === "all" ? undefined : each })}
              >
                {FILTER_NAMES[each]}
              </button>
            ))}
          </div>
          <div className={styles["projectSelect"]}>
            <Select
              label="Project"
              value={project ?? ""}
              choices={[
                { value: "", label: "all" },
                ...(projects.data?.projects ?? []).map((each) => ({ value: each.project, label: each.project })),
              ]}
              onChange={(next) => set({ project: next || undefined })}
            />
          </div>
        </>
      }
    >
      <div className={styles["columns"]}>
        <ProjectList projects={projects.data?.projects} chosen={project} onChoose={(next) => set({ project: next })} />
        {words.trim() === "" ? (
          <SessionRows asked={{ filter, sort, project }} />
        ) : (
          <SearchHitList words={words} project={project} />
        )}
      </div>
    </View>
  );
}

function among<Value extends string>(values: readonly Value[], given: string | undefined): Value | undefined {
  return values.find((value) => value === given);
}

const WAIT_MS = 250;

/** Words to look for; `/` leads there. */
export function SearchBox({
  words,
  label = "Search all sessions",
  onSearch,
}: {
  readonly words: string;
  readonly label?: string;
  readonly onSearch: (words: string | undefined) => void;
}): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(words);
  const search = useRef(onSearch);
  useEffect(() => {
    search.current = onSearch;
  });
  // Not each letter is asked for.
  useEffect(() => {
    if (text === words) return undefined;
    const timer = window.setTimeout(() => search.current(text || undefined), WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [text, words]);
  useKeys([{ key: "/", label, run: () => field.current?.focus() }]);
  return (
    <div className={styles["search"]} role="search">
      <Search aria-hidden />
      <input
        ref={field}
        type="search"
        value={text}
        aria-label={label}
        placeholder={label}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          setText("");
          field.current?.blur();
        }}
      />
    </div>
  );
}
