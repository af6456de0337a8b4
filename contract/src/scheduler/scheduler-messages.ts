/** Texts of the scheduler's screens and checks, exactly as specified (specification 1 §8, 3 §2.3, 4 §2, §5, §8). */
export const schedulerMessages = {
  nameTaken: 'Name already exists!',
  past: 'Value is past!',
  offsetTooGreat: 'Value cannot be greater than 93',
  offsetTooSmall: 'Value cannot be less than 4',
  badEmail: (email: string) => `${email} is invalid!`,
  noInstruction: 'instruction has not been provided!',
  added: (name: string) => `${name} was added.`,
  saved: (name: string) => `${name} changes were saved.`,
  terminated: (name: string) => `${name} was terminated.`,
  confirmTerminate: (name: string) =>
    `Are you sure you want to terminate '${name}'? This will also terminate all existing and future schedules.`,
  scheduled: (name: string) => `'${name}' was scheduled.`,
  cancelled: 'Scheduling process was cancelled.',
  contactAdmin: 'Contact your admin to see how you can get this feature.',
  notAllowed: "You don't have permission to view crons!",
  failed: (operation: string, body: string, status: number) => `Error in '${operation}': ${body} (status=${status})`,
  noSchedule: 'N/A',
} as const

/** Comments of runs that were terminated without running. */
export const runComments = {
  missed: 'missed: the portal was not running',
  overlapping: 'the run before had not ended',
  skipped: 'skipped',
  paused: 'skipped: the cron was paused',
  undelivered: (reason: string | null) => `its file could not be delivered${reason ? `: ${reason}` : ''}`,
} as const
