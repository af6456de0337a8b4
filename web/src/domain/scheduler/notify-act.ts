import { messageTimes } from '@portico/contract/scheduler/scheduler-messages'
import { notifyDone } from '#ui/feedback/notify.ts'

/** Confirms an act of the scheduler's dialogs: 5 seconds (specification 1 §9). */
export const notifyAct = (message: string): void => notifyDone(message, messageTimes.action)
