import type { ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";

/** Claude Code's sessions. */
export function SessionsView(): ReactNode {
  return (
    <View title="Sessions">
      <Empty title="Sessions" />
    </View>
  );
}
