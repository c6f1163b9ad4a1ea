import { Ban, Check, CircleDashed, Eye, GitMerge, Hand, LoaderCircle, Lock, Split } from "lucide-react";
import type { ComponentType, ReactNode } from "react";
import { Badge, type Meaning } from "../../parts/badge.tsx";
import type { Team } from "./lanes.ts";

type Status = Team["items"][number]["status"];

const LOOKS: Readonly<
  Record<
    Status,
    {
      readonly word: string;
      readonly meaning: Meaning;
      readonly Icon: ComponentType<{ readonly "aria-hidden"?: boolean }>;
    }
  >
> = {
  waiting: { word: "waiting", meaning: "neutral", Icon: CircleDashed },
  working: { word: "working", meaning: "running", Icon: LoaderCircle },
  reviewing: { word: "in review", meaning: "running", Icon: Eye },
  integrating: { word: "being merged", meaning: "running", Icon: GitMerge },
  merged: { word: "merged", meaning: "good", Icon: Check },
  skipped: { word: "left out", meaning: "neutral", Icon: Ban },
  replaced: { word: "taken apart", meaning: "neutral", Icon: Split },
  escalated: { word: "not done", meaning: "attention", Icon: Hand },
  blocked: { word: "blocked", meaning: "bad", Icon: Lock },
};

/** How far an item is. */
export function ItemBadge({ status }: { readonly status: Status }): ReactNode {
  const { word, meaning, Icon } = LOOKS[status];
  return (
    <Badge meaning={meaning} icon={<Icon aria-hidden />}>
      {word}
    </Badge>
  );
}
