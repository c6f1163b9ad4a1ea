import { useMemo, type ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { useLive } from "../../data/use-live.ts";
import { Empty } from "../../parts/note.tsx";
import { QuestionCards } from "../../parts/question-cards.tsx";

/** What runs and what waits for a person. */
export function NowView(): ReactNode {
  const open = useLive(({ questions }) => questions);
  const questions = useMemo(() => [...open.values()], [open]);
  return (
    <View title="Now">
      <QuestionCards questions={questions} />
      <Empty title="Now" />
    </View>
  );
}
