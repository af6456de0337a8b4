import { createStore } from '#lib/store.ts'

/** True while a page is shown as printed: always in light colors. */
export const paperStore = createStore(false)
