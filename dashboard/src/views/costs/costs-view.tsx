import type { ReactNode } from "react";
import { View } from "../../frame/view.tsx";
import { Empty } from "../../parts/note.tsx";

/** What was spent. */
export function CostsView(): ReactNode {
  return (
    <View title="Costs">
      <Empty title="Costs" />
    </View>
  );
}
