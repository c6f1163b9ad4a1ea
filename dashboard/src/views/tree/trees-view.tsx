import type { ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";

/** The workspaces that have a tree. */
export function TreesView(): ReactNode {
  return (
    <View title="Trees">
      <Empty title="Trees" />
    </View>
  );
}
