import type { ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";

/** A run while it goes on. */
export function RunView({ run }: { readonly run: string }): ReactNode {
  return (
    <View title="Run">
      <Empty title="Run">{run}</Empty>
    </View>
  );
}
