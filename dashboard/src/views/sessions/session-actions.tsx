import { Archive, ArchiveRestore, Copy, Ellipsis, FileDown, Mail, Pin, Play } from "lucide-react";
import { useState, type ReactNode } from "react";
import { api } from "../../data/api.ts";
import { useHealth } from "../../data/queries.ts";
import { useKeys } from "../../frame/keys.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import { ErrorLine } from "../../parts/note.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { useFlags, type Session } from "./use-sessions.ts";

/** What can be done with a session: pin it, put it away, take it along, go on with it. */
export function SessionActions({ session }: { readonly session: Session }): ReactNode {
  const { session_id: id, pinned, archived, is_purged: isPurged } = session;
  const flags = useFlags(id);
  const isReadOnly = useHealth().data?.read_only === true;
  const [isImporting, setImporting] = useState(false);
  const pin = (): void => flags.mutate({ pinned: !pinned });
  const archive = (): void => flags.mutate({ archived: !archived });
  useKeys([
    { key: "p", label: pinned ? "Unpin the session" : "Pin the session", run: pin, isDisabled: isReadOnly },
    {
      key: "e",
      label: archived ? "Bring the session back" : "Put the session away",
      run: archive,
      isDisabled: isReadOnly,
    },
  ]);
  const exportEntries = [
    { label: "Copy its id", icon: <Copy />, onChoose: () => void navigator.clipboard.writeText(id) },
    {
      label: "Export as HTML",
      icon: <FileDown />,
      isDisabled: isPurged,
      onChoose: () => location.assign(api.sessionPage(id)),
    },
  ];
  return (
    <>
      <ErrorLine error={flags.error} />
      {!isReadOnly && (
        <>
          <IconButton
            label={pinned ? "Unpin" : "Pin"}
            shortcut="p"
            isPressed={pinned}
            icon={<Pin fill={pinned ? "currentColor" : "none"} />}
            onClick={pin}
          />
          <IconButton
            label={archived ? "Bring back" : "Put away"}
            shortcut="e"
            isPressed={archived}
            icon={archived ? <ArchiveRestore /> : <Archive />}
            onClick={archive}
          />
        </>
      )}
      <Menu
        trigger={<IconButton label="More" icon={<Ellipsis />} />}
        entries={
          isReadOnly
            ? exportEntries
            : [
                { label: "Mark as unread", icon: <Mail />, onChoose: () => flags.mutate({ read_to: null }) },
                null,
                ...exportEntries,
              ]
        }
      />
      {!isReadOnly && (
        <Button size="small" icon={<Play />} disabled={isPurged} onClick={() => setImporting(true)}>
          Continue
        </Button>
      )}
      {isImporting && <ImportDialog session={session} onClose={() => setImporting(false)} />}
    </>
  );
}
