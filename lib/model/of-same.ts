// Makes once what is made of a thing that does not change: large clans have long lists, the same
// for every claim.

/** `make`, which is called once for each object, for as long as that lives. */
export function ofSame<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}
