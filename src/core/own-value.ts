/** The value of a record under a name that comes from outside; what every object has, such as `constructor`, is none. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** An empty record for names that come from outside: no name is taken in it, and `__proto__` is one like all others. */
export function emptyRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}
