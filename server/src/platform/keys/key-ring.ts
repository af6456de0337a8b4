/** The installation's secret, then those that it replaced: the first signs and encrypts, all verify and decrypt. */
export type KeyRing = readonly [current: string, ...old: string[]]

/** Returns a separate key for each purpose, derived from each secret of the ring. */
export function derivedKeys<Key>(secret: string | KeyRing, derive: (secret: string) => Key): [Key, ...Key[]] {
  const [current, ...old] = typeof secret === 'string' ? [secret] : secret
  return [derive(current), ...old.map(derive)]
}
