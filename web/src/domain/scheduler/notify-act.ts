import { notifyDone } from '#ui/feedback/notify.ts'

const actionMs = 5_000

/** Confirms an act of the scheduler's dialogs: 5 seconds (specification 1 §9). */
export const notifyAct = (message: string): void => notifyDone(message, actionMs)
