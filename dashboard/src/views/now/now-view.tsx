import { Plus } from "lucide-react";
import { lazy, Suspense, useMemo, useState, type ReactNode } from "react";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import { addressOf, useGo, useParam, useSetParams } from "../../data/url.ts";
import { useLive } from "../../data/use-live.ts";
import { useKeys } from "../../frame/keys.ts";
import { NotifyButton } from "../../frame/notify-button.tsx";
import { View } from "../../frame/view.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/note.tsx";
import { QuestionCards } from "../../parts/question-cards.tsx";
import { useLingering } from "../../parts/use-lingering.ts";
import { EndedList } from "./ended-list.tsx";
import styles from "./now.module.css";
import { SearchCard } from "./search-card.tsx";
import { TeamCard } from "./team-card.tsx";
import { TurnCard } from "./turn-card.tsx";

const Composer = lazy(async () => ({ default: (await import("../../parts/composer.tsx")).Composer }));

/** What runs and what waits for a person. */
export function NowView(): ReactNode {
  const runs = useLive((live) => live.runs);
  const asked = useLive((live) => live.questions);
  const questions = useMemo(() => [...asked.values()], [asked]);
  const going = useMemo(() => cardsOf([...runs.values()]), [runs]);
  const isEmpty = going.length === 0 && questions.length === 0;
  return (
    <View
      title="Now"
      actions={
        <>
          <NotifyButton />
          <StartButton />
        </>
      }
    >
      <div className={styles["now"]}>
        <QuestionCards questions={questions} />
        <Going runs={going} />
        {isEmpty && (
          <Empty title="Nothing runs" command='skein run "Make the tests pass"'>
            Turns, searches and teams are shown here while they go on, whoever started them on this machine, and what
            they ask you is answered here.
          </Empty>
        )}
        <EndedList runs={runs} />
      </div>
      <Start />
    </View>
  );
}

function StartButton(): ReactNode {
  const go = useGo();
  return (
    <Button look="primary" icon={<Plus />} shortcut="n" onClick={() => go(addressOf.start())}>
      Start a run
    </Button>
  );
}

function Start(): ReactNode {
  const isOpen = useParam("start") !== undefined;
  const set = useSetParams();
  if (!isOpen) return null;
  return (
    <Suspense>
      <Composer onClose={() => set({ start: undefined, workspace: undefined, from: undefined })} />
    </Suspense>
  );
}

/** What has a card: searches, with their turns in them, and turns of no search. The oldest is first, so that none moves when another begins. */
function cardsOf(runs: readonly RunData[]): readonly RunData[] {
  const going = runs.filter(({ state, kind }) => state === "running" && kind !== "program");
  const searching = new Set(going.filter(({ kind }) => hasTurns(kind)).map(({ process_id: id }) => id));
  return going
    .filter(
      ({ kind, process_id: id, directory, workspace }) =>
        hasTurns(kind) || directory === workspace || !searching.has(id),
    )
    .toSorted((left, right) => Date.parse(left.started_at) - Date.parse(right.started_at));
}

/** A search and a team have turns of their own, on branches. */
function hasTurns(kind: RunData["kind"]): boolean {
  return kind === "search" || kind === "team";
}

function idOf({ run }: RunData): string {
  return run;
}

const LINGERS_MS = 5000;

function Going({ runs }: { readonly runs: readonly RunData[] }): ReactNode {
  const live = useLive((all) => all.runs);
  const [isPointedAt, setPointedAt] = useState(false);
  const shown = useLingering(runs, idOf, { lingersMs: LINGERS_MS, isHeld: isPointedAt });
  const step = (by: number): void => {
    const cards = [...document.querySelectorAll<HTMLElement>("[data-run-card] a")];
    const place = cards.findIndex((card) => card.closest("[data-run-card]")?.contains(document.activeElement));
    cards[place < 0 ? 0 : Math.max(0, Math.min(cards.length - 1, place + by))]?.focus();
  };
  useKeys([
    { key: "j", label: "Next run that goes on", run: () => step(1), isDisabled: shown.length === 0 },
    { key: "k", label: "Run before", run: () => step(-1), isDisabled: shown.length === 0 },
  ]);
  if (shown.length === 0) return null;
  return (
    <section
      className={styles["cards"]}
      aria-label="What goes on"
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
    >
      {shown.map(({ item }) => {
        const run = live.get(item.run) ?? item;
        if (run.kind === "team") return <TeamCard key={run.run} run={run} />;
        return run.kind === "search" ? <SearchCard key={run.run} run={run} /> : <TurnCard key={run.run} run={run} />;
      })}
    </section>
  );
}
