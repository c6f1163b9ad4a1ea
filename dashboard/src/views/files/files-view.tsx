import type { ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";

/** The files of a state. */
export function FilesView({ workspace }: { readonly workspace: string }): ReactNode {
  return (
    <View title="Files">
      <Empty title="Files">{workspace}</Empty>
    </View>
  );
}
