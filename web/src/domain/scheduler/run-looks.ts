import type { ScheduleStatus } from '@portico/contract/scheduler/schedules'

/** Colours of runs by status (specification 1 §4). `blue` is the primary colour. */
export const runColors: Record<ScheduleStatus, string> = {
  waiting: 'gray',
  processing: 'blue',
  recovery: 'orange',
  completed: 'green',
  terminated: 'red',
  upcoming: 'gray.4',
}
