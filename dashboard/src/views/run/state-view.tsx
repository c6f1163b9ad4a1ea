import type { ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";

/** A recorded turn. */
export function StateView({ workspace, state }: { readonly workspace: string; readonly state: string }): ReactNode {
  return (
    <View title="Turn">
      <Empty title={`${workspace} ${state}`}>{state}</Empty>
    </View>
  );
}
