/**
 * What there is once in a process, however many copies of Skein run in it: the command's bundle, the `skein` that a plugin imports, another
 * version that is installed beside a project. `name` changes when the shape of the value does.
 */
export function onceInProcess<Value extends object>(name: string, make: () => Value): Value {
  const shared = globalThis as unknown as Record<symbol, Value | undefined>;
  return (shared[Symbol.for(`skein:${name}`)] ??= make());
}
