import { useCallback, useState } from "react";

const PREFIX = "skein-draft:";

/** What a person is writing, kept in this browser until it is sent: a reload loses nothing. */
export function useDraft(name: string, initial = ""): readonly [text: string, write: (text: string) => void] {
  const [text, setText] = useState(() => localStorage.getItem(PREFIX + name) ?? initial);
  const write = useCallback(
    (next: string) => {
      setText(next);
      if (next === "") localStorage.removeItem(PREFIX + name);
      else localStorage.setItem(PREFIX + name, next);
    },
    [name],
  );
  return [text, write];
}

/** What a person chose for this page, such as the width of a panel. */
export function useSetting<Value extends string | number | boolean>(
  name: string,
  initial: Value,
): readonly [value: Value, choose: (value: Value) => void] {
  const key = `skein-setting:${name}`;
  const [value, setValue] = useState<Value>(() => readSetting(key, initial));
  const choose = useCallback(
    (next: Value) => {
      setValue(next);
      localStorage.setItem(key, JSON.stringify(next));
    },
    [key],
  );
  return [value, choose];
}

/** What was chosen, outside of a component. */
export function settingOf<Value extends string | number | boolean>(name: string, initial: Value): Value {
  return readSetting(`skein-setting:${name}`, initial);
}

function readSetting<Value>(key: string, initial: Value): Value {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return typeof stored === typeof initial ? (stored as Value) : initial;
  } catch {
    return initial;
  }
}
