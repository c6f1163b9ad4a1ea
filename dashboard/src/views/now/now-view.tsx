import type { ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";

/** What runs and what waits for a person. */
export function NowView(): ReactNode {
  return (
    <View title="Now">
      <Empty title="Now" />
    </View>
  );
}
