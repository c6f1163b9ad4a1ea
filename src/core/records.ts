/** The value of a record under a name that comes from outside; what every object has, such as `constructor`, is none. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** An empty record for names that come from outside: no name is taken in it, and `__proto__` is one like all others. */
export function emptyRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

/** The fields of an object that have a value; one that is undefined is left out, so that it need not be told from one that was never given. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** The fields of an object that have a value, but for those of these names. */
export function without<T extends object, Name extends string>(fields: T, names: Iterable<Name>): Omit<T, Name> {
  const left = new Set<string>(names);
  const kept = Object.entries(fields).filter(([name, value]) => value !== undefined && !left.has(name));
  return Object.fromEntries(kept) as Omit<T, Name>;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Items by a key of theirs, keys and items in the order in which they first come. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
