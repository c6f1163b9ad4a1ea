import type { ReactNode } from "react";
import { Kbd } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { keyText } from "./key-text.ts";
import { useAllKeys } from "./keys.ts";
import styles from "./key-list.module.css";

/** All keys that do something in the view that is shown. */
export function KeyList({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  const keys = useAllKeys();
  const named = new Map(keys.map((action) => [action.key, action]));
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      <dl className={styles["list"]}>
        {[...named.values()].map(({ key, label }) => (
          <div key={key}>
            <dt>
              <Kbd>{keyText(key)}</Kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
