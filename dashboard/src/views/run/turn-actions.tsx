import { Bookmark, Braces, ChevronLeft, ChevronRight, Ellipsis, FileDown, FolderTree, GitFork } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { StateDetail } from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { useHealth } from "../../data/queries.ts";
import { addressOf, useGo } from "../../data/url.ts";
import { useKeys } from "../../frame/keys.ts";
import { IconButton } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import { jsonText } from "../../parts/tool-words.ts";
import { MarkDialog } from "../../parts/mark-dialog.tsx";

/** What can be done with a recorded turn: go to the one before or after, remember it, take it along. */
export function TurnActions({
  workspace,
  detail,
  previous,
  next,
}: {
  readonly workspace: string;
  readonly detail: StateDetail;
  readonly previous: string | undefined;
  readonly next: string | undefined;
}): ReactNode {
  const go = useGo();
  const [isMarking, setMarking] = useState(false);
  const isReadOnly = useHealth().data?.read_only === true;
  const { state_id: state, bookmark } = detail;
  const goTo = (to: string | undefined): void => {
    if (to !== undefined) go(addressOf.state(workspace, to));
  };
  const copy = async (): Promise<void> => {
    const { messages } = await api.messages(workspace, state);
    await navigator.clipboard.writeText(jsonText({ ...detail, messages }));
  };
  useKeys([
    { key: "[", label: "The turn before", run: () => goTo(previous), isDisabled: previous === undefined },
    { key: "]", label: "The turn after", run: () => goTo(next), isDisabled: next === undefined },
    { key: "b", label: "Bookmark and remark", run: () => setMarking(true), isDisabled: isReadOnly },
  ]);
  return (
    <>
      <IconButton
        label="The turn before"
        shortcut="["
        icon={<ChevronLeft />}
        disabled={previous === undefined}
        onClick={() => goTo(previous)}
      />
      <IconButton
        label="The turn after"
        shortcut="]"
        icon={<ChevronRight />}
        disabled={next === undefined}
        onClick={() => goTo(next)}
      />
      {!isReadOnly && (
        <IconButton
          label={bookmark === null ? "Bookmark and remark" : `Bookmark: ${bookmark}`}
          shortcut="b"
          icon={<Bookmark fill={bookmark === null ? "none" : "currentColor"} />}
          isPressed={bookmark !== null}
          onClick={() => setMarking(true)}
        />
      )}
      <Menu
        trigger={<IconButton label="More" icon={<Ellipsis />} />}
        entries={[
          { label: "Show it in the tree", icon: <GitFork />, onChoose: () => go(addressOf.tree(workspace, state)) },
          { label: "Show its files", icon: <FolderTree />, onChoose: () => go(addressOf.files(workspace, state)) },
          null,
          { label: "Copy as JSON", icon: <Braces />, onChoose: () => void copy() },
          { label: "Export as HTML", icon: <FileDown />, onChoose: () => exportPage(workspace, state) },
        ]}
      />
      {isMarking && (
        <MarkDialog
          workspace={workspace}
          state={detail.state_id}
          bookmark={detail.bookmark ?? ""}
          remark={detail.remark ?? ""}
          onClose={() => setMarking(false)}
        />
      )}
    </>
  );
}

/** The server answers with a file, so the page stays where it is. */
function exportPage(workspace: string, state: string): void {
  const link = document.createElement("a");
  link.href = api.statePage(workspace, state);
  link.download = `skein-${state.slice(0, 12)}.html`;
  link.click();
}
