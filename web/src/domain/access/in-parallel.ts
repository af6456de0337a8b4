import { messageOf } from '#lib/api/api-error.ts'

/** More calls at once would keep the server from other requests. */
const atOnce = 6

export type Outcome<T> = { done: T[]; failed: { item: T; message: string }[] }

/** One call per item, at most six at a time. Failures do not stop the others; results are in the order of `items`. */
export async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<Outcome<T>> {
  const problems = new Map<T, string>()
  const waiting = [...items]
  const work = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await act(item)
      } catch (error) {
        problems.set(item, messageOf(error))
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return {
    done: items.filter((item) => !problems.has(item)),
    failed: [...problems].map(([item, message]) => ({ item, message })),
  }
}
