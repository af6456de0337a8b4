import { notifyDone } from '#ui/feedback/notify.ts'

const actionMs = 5_000

/** Confirms an action of the scheduler's dialogs: for 5 seconds (specification 1 §9). */
export const notifyAct = (message: string): void => notifyDone(message, actionMs)
