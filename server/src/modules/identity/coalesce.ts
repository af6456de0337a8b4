/**
 * Lets requests with the same key that arrive while a look-up is in flight share the next one. It starts after the last of
 * them arrived, so each result is as fresh as one of its own, and a busy session costs hardly more than a quiet one.
 */
export function coalesce<Key extends unknown[], Answer>(
  keyOf: (...key: Key) => string,
  ask: (...key: Key) => Promise<Answer>,
): (...key: Key) => Promise<Answer> {
  const underWay = new Map<string, { ended: Promise<unknown>; next: Promise<Answer> | null }>()
  const start = (name: string, key: Key): Promise<Answer> => {
    const answer = ask(...key)
    const ended = answer.catch(() => {}).finally(() => underWay.delete(name))
    underWay.set(name, { ended, next: null })
    return answer
  }
  return (...key) => {
    const name = keyOf(...key)
    const running = underWay.get(name)
    if (!running) return start(name, key)
    return (running.next ??= running.ended.then(() => start(name, key)))
  }
}
