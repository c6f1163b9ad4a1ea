import type { ReactNode } from "react";
import { Empty } from "../../parts/note.tsx";

/** Where there is none: because nothing was recorded, or because nothing fits. */
export function NoRuns({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered) return <Empty title="No turn is as the filter says">Take a part of it away to see more.</Empty>;
  return (
    <Empty title="No turn is recorded yet" command={'skein run "Explain this project"'}>
      Every turn of every workspace is a line here, with what it cost, what it changed and what it was worth.
    </Empty>
  );
}
