import type { ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";

/** A session of Claude Code's. */
export function SessionView({ session }: { readonly session: string }): ReactNode {
  return (
    <View title="Session">
      <Empty title="Session">{session}</Empty>
    </View>
  );
}
