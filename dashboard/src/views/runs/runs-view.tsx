import type { ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";

/** All recorded turns of all workspaces. */
export function RunsView(): ReactNode {
  return (
    <View title="Runs">
      <Empty title="Runs" />
    </View>
  );
}
