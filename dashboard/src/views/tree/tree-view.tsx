import type { ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";

/** The tree of a workspace's states. */
export function TreeView({ workspace }: { readonly workspace: string }): ReactNode {
  return (
    <View title="Tree">
      <Empty title="Tree">{workspace}</Empty>
    </View>
  );
}
