import { useState, type ReactNode } from "react";
import { Kbd } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { keyText } from "./key-text.ts";
import { readKeys } from "./keys.ts";
import styles from "./key-list.module.css";

/** All keys that do something in the view that is shown. */
export function KeyList({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      {isOpen && <List />}
    </Dialog>
  );
}

function List(): ReactNode {
  const [keys] = useState(readKeys);
  return (
    <dl className={styles["list"]}>
      {keys.map(({ key, label }) => (
        <div key={key}>
          <dt>
            {key.split(" ").map((each) => (
              <Kbd key={each}>{keyText(each)}</Kbd>
            ))}
          </dt>
          <dd>{label}</dd>
        </div>
      ))}
    </dl>
  );
}
