import { createStore } from '#lib/store.ts'

/** True while a page is shown as paper will have it: always in light colours. */
export const paperStore = createStore(false)
