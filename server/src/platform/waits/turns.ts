/** Lets one caller of a key proceed at a time, in the order in which they came. */
export type Turns = {
  /** Waits for the turn, and returns the function that ends it; null if it did not come within `waitMs`. */
  take: (key: bigint, waitMs: number) => Promise<(() => void) | null>
}

type Waiting = { go: () => void }

export function createTurns(): Turns {
  // The callers that wait for the current one.
  const lines = new Map<bigint, Waiting[]>()

  function end(key: bigint): void {
    const next = lines.get(key)?.shift()
    if (next) next.go()
    else lines.delete(key)
  }
  return {
    async take(key, waitMs) {
      const line = lines.get(key)
      if (!line) {
        lines.set(key, [])
      } else {
        const came = await new Promise<boolean>((resolve) => {
          const waiting: Waiting = {
            go: () => {
              clearTimeout(timer)
              resolve(true)
            },
          }
          const timer = setTimeout(() => {
            line.splice(line.indexOf(waiting), 1)
            resolve(false)
          }, waitMs)
          line.push(waiting)
        })
        if (!came) return null
      }
      let isOver = false
      return () => {
        if (!isOver) end(key)
        isOver = true
      }
    },
  }
}
