import { createStore } from '#lib/store.ts'

/** A button in a snackbar, which it closes. */
export type SnackbarAction = { label: string; onClick: () => void }
export type Snackbar = {
  id: number
  kind: 'done' | 'error'
  message: string
  closeAfterMs: number
  action?: SnackbarAction | undefined
}

const atMost = 4
const doneMs = 4_000
const errorMs = 10_000

export const snackbarStore = createStore<Snackbar[]>([])
let lastId = 0

/** The snackbar that confirms an action: for 4 seconds unless another time is given. */
export const notifyDone = (message: string, closeAfterMs = doneMs, action?: SnackbarAction): void =>
  show({ kind: 'done', message, closeAfterMs, action })

/** Shows an error outside a form for 10 seconds. A repeated text shows once. */
export const notifyError = (message: string): void => show({ kind: 'error', message, closeAfterMs: errorMs })

export const closeSnackbar = (id: number): void =>
  snackbarStore.set(snackbarStore.get().filter((snackbar) => snackbar.id !== id))

function show(snackbar: Omit<Snackbar, 'id'>): void {
  lastId += 1
  const others = snackbarStore
    .get()
    .filter(({ kind, message }) => kind !== snackbar.kind || message !== snackbar.message)
  snackbarStore.set([...others, { ...snackbar, id: lastId }].slice(-atMost))
}
