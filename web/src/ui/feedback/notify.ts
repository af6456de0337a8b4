export type Snackbar = { id: number; kind: 'done' | 'error'; message: string; closeAfterMs: number }

const atMost = 4
const doneMs = 4_000
const errorMs = 10_000

let shown: Snackbar[] = []
let lastId = 0
const listeners = new Set<() => void>()

export const shownSnackbars = (): Snackbar[] => shown

export function onSnackbarChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The snackbar that confirms an act: 4 seconds. */
export const notifyDone = (message: string): void => show({ kind: 'done', message, closeAfterMs: doneMs })

/** What went wrong outside a form: 10 seconds. The same text stands there once. */
export const notifyError = (message: string): void => show({ kind: 'error', message, closeAfterMs: errorMs })

export const closeSnackbar = (id: number): void => change(shown.filter((snackbar) => snackbar.id !== id))

function show(snackbar: Omit<Snackbar, 'id'>): void {
  lastId += 1
  const others = shown.filter(({ kind, message }) => kind !== snackbar.kind || message !== snackbar.message)
  change([...others, { ...snackbar, id: lastId }].slice(-atMost))
}

function change(next: Snackbar[]): void {
  shown = next
  for (const listener of listeners) listener()
}
