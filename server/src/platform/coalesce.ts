/**
 * Coalesces look-ups: callers with the same key that arrive during a look-up share the next one. It starts after they
 * arrive, so results are never stale, and a busy session costs hardly more than a quiet one.
 */
export function coalesce<Key extends unknown[], Result>(
  keyOf: (...key: Key) => string,
  lookUp: (...key: Key) => Promise<Result>,
): (...key: Key) => Promise<Result> {
  const inFlight = new Map<string, { ended: Promise<unknown>; next: Promise<Result> | null }>()
  const start = (name: string, key: Key): Promise<Result> => {
    const result = lookUp(...key)
    const ended = result.catch(() => {}).finally(() => inFlight.delete(name))
    inFlight.set(name, { ended, next: null })
    return result
  }
  return (...key) => {
    const name = keyOf(...key)
    const running = inFlight.get(name)
    if (!running) return start(name, key)
    return (running.next ??= running.ended.then(() => start(name, key)))
  }
}
